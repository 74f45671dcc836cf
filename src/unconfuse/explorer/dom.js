// Elements. Text from outside only ever becomes a text node or an attribute, never markup.

const SVG = 'http://www.w3.org/2000/svg';

function fill(node, props, children) {
  for (const [key, value] of Object.entries(props || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key === 'on') for (const [event, run] of Object.entries(value)) node.addEventListener(event, run);
    else node.setAttribute(key, value === true ? '' : value);
  }
  for (const child of children.flat()) if (child !== null && child !== undefined && child !== false) node.append(child);
  return node;
}

const h = (tag, props, ...children) => fill(document.createElement(tag), props, children);
const s = (tag, props, ...children) => fill(document.createElementNS(SVG, tag), props, children);

function set(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

let counter = 0;
const fresh = word => `${word}-${++counter}`;

// A table with a caption; a header for each column and each row.
function table(caption, heads, rows, props) {
  const body = h('tbody', null, rows.map(cells => h('tr', null, cells.map((cell, i) =>
    cell instanceof Node && /^(TD|TH)$/.test(cell.nodeName) ? cell : h(i ? 'td' : 'th', i ? {class: 'num'} : {scope: 'row'}, cell)))));
  const head = h('thead', null, h('tr', null, heads.map((each, i) => h('th', {scope: 'col', class: i ? 'num' : null}, each))));
  return h('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption},
    h('table', props, h('caption', null, caption), head, body));
}

const details = (summary, ...children) => h('details', null, h('summary', null, summary), h('div', {class: 'inside'}, children));
const figure = (title, picture, words, ...more) =>
  h('figure', null, h('h3', null, title), picture, ...more, h('figcaption', null, words));

function select(label, options, chosen, run) {
  const node = h('select', {id: fresh('select')}, options.map(([value, words]) => h('option', {value, selected: value === chosen}, words)));
  node.addEventListener('change', () => run(node.value));
  return h('span', {class: 'field'}, h('label', {for: node.id}, label), node);
}
