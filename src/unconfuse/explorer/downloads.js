// What a picture shows, to take along: its numbers as CSV, itself as SVG or PNG.

import {button, html} from './elements.js';
import {payload} from './payload.js';

/** @typedef {() => (string | number)[][]} Rows */

const INLINE =
  'fill stroke stroke-width stroke-dasharray stroke-linecap stroke-linejoin opacity font-size font-family ' +
  'font-weight text-anchor paint-order visibility';
const PNG_SCALE = 3;

/** @param {string} text */
const fileName = text =>
  `${payload.title || 'unconfuse'} ${text}`
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 80);

/** @param {string | number} cell */
const csvCell = cell => {
  const text = typeof cell === 'number' && !Number.isFinite(cell) ? '' : String(cell);
  const guarded = /^[=+@\t]|^-(?![\d.])/.test(text) ? `'${text}` : text;
  return /[",\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
};

/** @param {string[]} heads @param {(string | number)[][]} rows */
export const csvText = (heads, rows) => [heads, ...rows].map(row => row.map(csvCell).join(',') + '\n').join('');

/** @param {Blob} blob @param {string} name */
function saveBlob(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = html('a', {href: address, download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** @param {string} text @param {string} kind @param {string} name @param {string} ending */
export const saveText = (text, kind, name, ending) =>
  saveBlob(new Blob([text], {type: kind}), `${fileName(name)}.${ending}`);

/** A picture with its styles inside, so that it looks the same elsewhere. @param {SVGSVGElement} node */
function standalone(node) {
  const copy = /** @type {SVGSVGElement} */ (node.cloneNode(true));
  const [from, to] = [node, copy].map(each => [each, ...each.querySelectorAll('*')]);
  from.forEach((each, i) => {
    const style = getComputedStyle(each);
    for (const name of INLINE.split(' ')) to[i].setAttribute(name, style.getPropertyValue(name));
    to[i].removeAttribute('class');
  });
  const [, , width, height] = (node.getAttribute('viewBox') || '0 0 1 1').split(' ');
  copy.setAttribute('width', width);
  copy.setAttribute('height', height);
  const ground = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  ground.setAttribute('width', '100%');
  ground.setAttribute('height', '100%');
  ground.setAttribute('fill', getComputedStyle(document.body).backgroundColor);
  copy.prepend(ground);
  return {text: new XMLSerializer().serializeToString(copy), width: Number(width), height: Number(height)};
}

/** @param {SVGSVGElement} node @param {string} name */
function savePng(node, name) {
  const {text, width, height} = standalone(node);
  const image = new Image();
  image.addEventListener('load', () => {
    const canvas = html('canvas', {width: width * PNG_SCALE, height: height * PNG_SCALE});
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    pen.drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob(blob => blob && saveBlob(blob, `${fileName(name)}.png`));
  });
  image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
}

/** A menu that unfolds under its button. @param {string} words @param {string} label @param {HTMLElement[]} items */
export function menu(words, label, items) {
  const node = html(
    'details',
    {class: 'menu'},
    html('summary', {'aria-label': label}, words),
    html('div', {class: 'items'}, items),
  );
  const fold = () => (node.open = false);
  node.addEventListener('click', event => event.target instanceof HTMLButtonElement && fold());
  node.addEventListener('keydown', event => event.key === 'Escape' && fold());
  addEventListener('pointerdown', event => event.target instanceof Node && !node.contains(event.target) && fold());
  return node;
}

/** What each picture shows, in numbers. @type {WeakMap<Element, {heads: string[], rows: Rows}>} */
const SHOWN_NUMBERS = new WeakMap();

/** @param {Element} node @param {string[]} heads @param {Rows} rows */
export const hasNumbers = (node, heads, rows) => SHOWN_NUMBERS.set(node, {heads, rows});

/**
 * The menu of a picture that is looked for when it is wanted.
 * @param {string} name @param {() => Element | null} find
 */
export function downloads(name, find) {
  const picture = () => /** @type {SVGSVGElement} */ (find());
  const numbersOf = () => {
    const {heads, rows} = SHOWN_NUMBERS.get(picture()) || {heads: [], rows: () => []};
    return csvText(heads, rows());
  };
  return menu('⤓', `Take along: ${name}`, [
    button({}, 'Numbers (CSV)', () => saveText(numbersOf(), 'text/csv', name, 'csv')),
    button({}, 'Picture (SVG)', () => saveText(standalone(picture()).text, 'image/svg+xml', name, 'svg')),
    button({}, 'Picture (PNG)', () => savePng(picture(), name)),
  ]);
}
