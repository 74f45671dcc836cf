// Elements. Text from outside only ever becomes a text node or an attribute, never markup.

import {isolated} from './text.js';

/** @import {Child, Children, Properties} from './types' */

const SVG = 'http://www.w3.org/2000/svg';

/**
 * @template {Element} Made
 * @param {Made} node @param {Properties | null} properties @param {Children} children
 */
function filled(node, properties, children) {
  for (const [key, value] of Object.entries(properties || {})) {
    if (value === null || value === undefined || value === false) continue;
    node.setAttribute(key, value === true ? '' : String(value));
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false)
      node.append(typeof child === 'string' ? isolated(child) : child);
  }
  return node;
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {Properties | null} properties @param {Children} children
 */
export const html = (tag, properties, ...children) => filled(document.createElement(tag), properties, children);

/**
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag @param {Properties | null} properties @param {Children} children
 */
export const svg = (tag, properties, ...children) => filled(document.createElementNS(SVG, tag), properties, children);

/** @param {Properties} properties @param {string} words @param {() => void} run */
export function button(properties, words, run) {
  const node = html('button', {type: 'button', ...properties}, words);
  node.addEventListener('click', run);
  return node;
}

/** @param {Element} node @param {string} text */
export function setText(node, text) {
  const words = isolated(text);
  if (node.textContent !== words) node.textContent = words;
}

/** @param {Element} node @param {Record<string, string | number | boolean>} attributes */
export function setAttributes(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
}

/**
 * Numbers in full, for those who read the page by program.
 * @param {HTMLElement} node @param {Record<string, number>} values
 */
export const setData = (node, values) => Object.assign(node.dataset, values);

let counter = 0;

/** @param {string} word */
export const uniqueId = word => `${word}-${++counter}`;

/** @param {Child} cell @param {number} place */
function tableCell(cell, place) {
  if (cell instanceof Element && /^(TD|TH)$/.test(cell.nodeName)) return cell;
  return place ? html('td', {class: 'num'}, cell) : html('th', {scope: 'row'}, cell);
}

/** A row whose cells know their column's head: where there is no room for columns they stand below each other. */
const tableRow = (/** @type {Child[]} */ cells, /** @type {Child[]} */ heads) => {
  const made = cells.map(tableCell);
  made.forEach((cell, place) => {
    const head = heads[place];
    const words = head instanceof Node ? head.textContent : head;
    if (place && words) cell.setAttribute('data-head', words);
  });
  return html('tr', null, made);
};

/**
 * A table with a caption; a header for each column and each row.
 * @param {string} caption @param {Child[]} heads @param {Child[][]} rows @param {Properties} [properties]
 */
export function table(caption, heads, rows, properties) {
  const headCells = heads.map((each, place) => html('th', {scope: 'col', class: place ? 'num' : null}, each));
  const bodyRows = rows.map(cells => tableRow(cells, heads));
  return html(
    'div',
    {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption},
    html(
      'table',
      properties || null,
      html('caption', null, caption),
      html('thead', null, html('tr', null, headCells)),
      html('tbody', null, bodyRows),
    ),
  );
}

/** The head of a row: a name, and below it in small print what it means. @param {Child} name @param {Child} meaning */
export const rowHead = (name, meaning) => html('th', {scope: 'row'}, name, html('span', {class: 'question'}, meaning));

/** @param {string} summary @param {Children} children */
export const details = (summary, ...children) =>
  html('details', null, html('summary', null, summary), html('div', {class: 'inside'}, ...children));

/** A paragraph that says how to read what follows. @param {string} words */
export const howToRead = words => html('p', {class: 'how'}, words);

/** A sentence in which arguments and commands, between backquotes, are set as code. @param {string} words */
export const prose = words =>
  words.split(/`([^`]*)`/).map((part, place) => (place % 2 ? html('code', null, part) : part));

/** @param {string} words */
export const remark = words => html('p', {class: 'muted'}, words);

/**
 * @param {string} label @param {[string, string][]} options @param {string} chosen
 * @param {(value: string) => void} run
 */
export function select(label, options, chosen, run) {
  const choices = options.map(([value, words]) => html('option', {value, selected: value === chosen}, words));
  const node = html('select', {id: uniqueId('select')}, choices);
  node.addEventListener('change', () => run(node.value));
  return html('span', {class: 'field'}, html('label', {for: node.id}, label), node);
}

const MOST_ON_PAPER = 12;

/** Long tables are cut on paper, which says so. @param {number} size @param {string} words */
export const onPaper = (size, words) =>
  size > MOST_ON_PAPER &&
  html('p', {class: 'paper-only'}, `The first ${MOST_ON_PAPER} of ${size} ${words}; the page has them all.`);
