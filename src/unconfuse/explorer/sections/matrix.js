// Which classes are taken for which: the matrix, to be read with the pointer or the arrow keys.

import {clamped} from '../chart.js';
import {theClasses} from '../classes.js';
import {button, details, howToRead, html, remark, setAttributes, setData, setText, table} from '../elements.js';
import {drawMatrix, MOST_WITH_NUMBERS} from '../matrix/drawing.js';
import {cellSentence} from '../matrix/words.js';
import {goToClass} from '../state.js';
import {countText, numbers, percentText} from '../text.js';

/** @import {Named, Shown} from '../types' */

const MOST_AS_TABLE = 20;
/** @type {Record<Shown, string>} */
const SHOWN_WORDS = {
  truth: 'share of the true class',
  predicted: 'share of the predicted class',
  count: 'counts',
};
const ORDER_WORDS = {given: 'as given', together: 'confused classes together'};
/** @type {Named<number[] | undefined>} */
const MOVES = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  PageUp: [-10, 0],
  PageDown: [10, 0],
  Home: [0, -Infinity],
  End: [0, Infinity],
};

/**
 * Buttons of which one is pressed.
 * @template {string} Choice
 * @param {string} words @param {Record<Choice, string>} options @param {Choice} chosen
 * @param {(choice: Choice) => void} run
 */
function toggle(words, options, chosen, run) {
  const choices = /** @type {[Choice, string][]} */ (Object.entries(options));
  const press = (/** @type {Choice} */ choice) =>
    buttons.forEach((each, i) => setAttributes(each, {'aria-pressed': choices[i][0] === choice}));
  const buttons = choices.map(([choice, label]) =>
    button({class: 'chip', 'data-choice': choice}, label, () => {
      press(choice);
      run(choice);
    }),
  );
  press(chosen);
  const name = html('span', {class: 'muted small', 'aria-hidden': 'true'}, words);
  return html('div', {class: 'field toggle', role: 'group', 'aria-label': words}, name, buttons);
}

class MatrixView {
  constructor() {
    const {size, names, order} = theClasses();
    this.size = size;
    /** @type {Shown} */
    this.shown = 'truth';
    this.orders = {given: names.map((_, i) => i), together: numbers(order)};
    /** @type {'given' | 'together'} */
    this.order = size > MOST_WITH_NUMBERS ? 'together' : 'given';
    /** Row and column of the cursor, as drawn. @type {number[] | null} */
    this.at = null;
    this.readout = html('p', {class: 'readout', id: 'matrix-readout', role: 'status'}, ' ');
    this.canvas = html('canvas', {'aria-hidden': 'true'});
    this.cursor = html('div', {class: 'cursor', hidden: true});
    this.asTable = html('div', {id: 'matrix-table'});
    this.frame = this.makeFrame();
    this.shape = {left: 0, top: 0, cell: 1};
  }

  makeFrame() {
    const moving = `Confusion matrix of ${this.size} classes; move with the arrow keys.`;
    const properties = {
      class: 'matrix',
      id: 'matrix-frame',
      tabindex: 0,
      role: 'application',
      'aria-roledescription': 'confusion matrix',
      'aria-label': `${moving} The commonest confusions are listed in text.`,
      'aria-describedby': this.readout.id,
    };
    return html('div', properties, this.canvas, this.cursor);
  }

  /** The classes in the order in which they are drawn. */
  get places() {
    return this.orders[this.order];
  }

  /** @param {Partial<Pick<MatrixView, 'shown' | 'order'>>} changed */
  draw(changed = {}) {
    Object.assign(this, changed);
    this.shape = drawMatrix(this.canvas, this.frame.clientWidth, this.places, this.shown);
    const {cell, left, top} = this.shape;
    setData(this.canvas, {cell, left, top});
    if (this.at) this.show(this.at);
    else this.cursor.hidden = true;
    if (this.size <= MOST_AS_TABLE) this.asTable.replaceChildren(this.cellsTable());
  }

  /** Point at a cell and say what it holds. @param {number[]} at */
  show([y, x]) {
    const {count: countOf, value} = theClasses();
    const [i, j] = [this.places[y], this.places[x]];
    const count = countOf(i, j);
    this.at = [y, x];
    this.placeCursor(y, x);
    setText(this.readout, cellSentence(i, j));
    const shares = {ofTruth: value('truth', i, j, count), ofPredicted: value('predicted', i, j, count)};
    setData(this.frame, {row: i, column: j, count, ...shares});
  }

  /** @param {number} y @param {number} x */
  placeCursor(y, x) {
    const {left, top, cell} = this.shape;
    const side = Math.max(cell, 5);
    const off = (cell - side) / 2 - 1.5;
    this.cursor.hidden = false;
    Object.assign(this.cursor.style, {
      left: `${left + x * cell + off}px`,
      top: `${top + y * cell + off}px`,
      width: `${side + 2}px`,
      height: `${side + 2}px`,
    });
  }

  clear() {
    this.at = null;
    this.cursor.hidden = true;
    setText(this.readout, ' ');
  }

  /** The cell under the pointer. @param {MouseEvent} event @returns {number[] | null} */
  under(event) {
    const box = this.canvas.getBoundingClientRect();
    const {left, top, cell} = this.shape;
    const x = Math.floor((event.clientX - box.left - left) / cell);
    const y = Math.floor((event.clientY - box.top - top) / cell);
    return [x, y].every(each => each >= 0 && each < this.size) ? [y, x] : null;
  }

  /** @param {number[] | null} at */
  open(at) {
    if (at) goToClass(this.places[at[0]]);
  }

  /** @param {KeyboardEvent} event */
  moveByKey(event) {
    const move = MOVES[event.key];
    const opens = event.key === 'Enter' && this.at;
    if (!move && !opens) return;
    event.preventDefault();
    if (!move) return this.open(this.at);
    const at = this.at || [0, 0];
    this.show(at.map((each, i) => clamped(each + move[i], 0, this.size - 1)));
  }

  listen() {
    const {frame} = this;
    const point = (/** @type {MouseEvent} */ event) => {
      const found = this.under(event);
      if (found) this.show(found);
    };
    frame.addEventListener('pointermove', point);
    frame.addEventListener('click', point);
    frame.addEventListener('dblclick', event => this.open(this.under(event)));
    frame.addEventListener('pointerleave', () => document.activeElement === frame || this.clear());
    frame.addEventListener('focus', () => this.show(this.at || [0, 0]));
    frame.addEventListener('blur', () => this.clear());
    frame.addEventListener('keydown', event => this.moveByKey(event));
  }

  /** Draw anew when the room or the colours change. */
  observe() {
    let seen = this.frame.clientWidth;
    const resized = () => {
      if (Math.abs(this.frame.clientWidth - seen) <= 1) return;
      seen = this.frame.clientWidth;
      this.draw();
    };
    const root = document.documentElement;
    new ResizeObserver(resized).observe(this.frame);
    new MutationObserver(() => this.draw()).observe(root, {attributes: true, attributeFilter: ['data-theme']});
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw());
  }

  toggles() {
    return html(
      'div',
      {class: 'toggles'},
      toggle('Show', SHOWN_WORDS, this.shown, shown => this.draw({shown})),
      this.size > 2 && toggle('Order', ORDER_WORDS, this.order, order => this.draw({order})),
    );
  }

  cellsTable() {
    const {names, truth, count, value} = theClasses();
    const rows = this.places.map(i => {
      const cells = this.places.map(j => this.tableCell(i, j, value(this.shown, i, j, count(i, j))));
      return [names[i], ...cells, countText(truth[i])];
    });
    const words = SHOWN_WORDS[this.shown].replace('share', 'shares');
    const caption = `True classes (rows) and predicted classes (columns), ${words}`;
    return table(caption, ['True class', ...this.places.map(i => names[i]), 'all'], rows, {class: 'cells'});
  }

  /** @param {number} i @param {number} j @param {number} value */
  tableCell(i, j, value) {
    const text = this.shown === 'count' ? countText(value) : percentText(value);
    return html('td', {class: 'num', 'data-row': i, 'data-column': j, 'data-value': value}, text);
  }
}

/** @param {number} size */
function howToReadMatrix(size) {
  return howToRead(
    'Each row holds the cases of one true class, each column those that were labelled one class. Right answers ' +
      'lie on the diagonal, in blue; everything else is a confusion, in orange, shaded on a scale of its own, ' +
      'where small ones can be seen too. Point at a cell to read it' +
      `${size > MOST_WITH_NUMBERS ? '' : ' as a sentence'}, or go there ` +
      'with the arrow keys; Enter opens the class of the row.',
  );
}

function ramps() {
  const ramp = (/** @type {string} */ look, /** @type {string} */ words) =>
    html('span', null, html('span', {class: `ramp ${look}`}), words);
  return html(
    'p',
    {class: 'ramps small muted'},
    ramp('right', 'right: the stronger, the more'),
    ramp('wrong', 'confused: strongest for the largest confusion'),
  );
}

function leftOut() {
  const {cells, left_out} = theClasses();
  const most = `(at most ${countText(cells.at_most)} each)`;
  const smallest = `${countText(cells.left_out)} cells with the smallest counts ${most} are not in this file.`;
  const smaller = `${countText(left_out)} smaller classes are not on this page`;
  return [
    ...(cells.left_out ? [remark(smallest)] : []),
    ...(left_out ? [remark(`${smaller}; cases labelled one of them are in no column here.`)] : []),
  ];
}

/** The matrix with all that belongs to it; `ready` draws it once it stands on the page. */
export function matrixPicture() {
  const view = new MatrixView();
  const node = html(
    'div',
    {id: 'matrix'},
    html('h3', null, 'Which classes are taken for which'),
    view.toggles(),
    view.frame,
    view.readout,
    ramps(),
    ...leftOut(),
    details('How to read it', howToReadMatrix(view.size)),
    view.size <= MOST_AS_TABLE && details('The matrix as a table', view.asTable),
  );
  const ready = () => {
    view.listen();
    view.draw();
    view.observe();
  };
  return {node, ready};
}
