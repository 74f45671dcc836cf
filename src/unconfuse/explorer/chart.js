// Pictures: one plot area with two axes, lines, bands and points; a read-out under the pointer.

import {html, setAttributes, setText, svg, uniqueId} from './elements.js';

/** @import {Axis} from './types' */

export const SIZE = {width: 420, height: 300};
const INNER = {left: 44, right: SIZE.width - 14, top: 26, bottom: SIZE.height - 42};

/** @param {number} value @param {number} low @param {number} high */
export const clamped = (value, low, high) => Math.min(Math.max(value, low), high);

/** @param {number} low @param {number} high @returns {number[]} */
function ticksBetween(low, high) {
  const wanted = 5;
  const power = 10 ** Math.floor(Math.log10((high - low) / wanted));
  const step = [1, 2, 5, 10].map(times => times * power).find(each => (high - low) / each <= wanted + 1) || NaN;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({length: last - first + 1}, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** @param {number} value */
export const tickText = value => String(Number(value.toPrecision(4)));

/** @param {Axis} axis @returns {[number, string][]} */
const ticksOf = axis => axis.ticks || ticksBetween(axis.low, axis.high).map(value => [value, tickText(value)]);

export class Chart {
  /** @param {string} label @param {Axis} x @param {Axis} y */
  constructor(label, x, y) {
    const clip = uniqueId('clip');
    this.label = label;
    this.x = x;
    this.y = y;
    this.inner = INNER;
    this.marks = svg('g', {'clip-path': `url(#${clip})`});
    this.above = svg('g', null);
    this.guide = svg('line', {class: 'guide', y1: INNER.top, y2: INNER.bottom, visibility: 'hidden'});
    this.node = this.frame(clip);
    this.readout = html('p', {class: 'readout', 'aria-hidden': 'true'}, ' ');
    this.wrap = html('div', {class: 'plot'}, this.node, this.readout);
  }

  /** @param {string} clip */
  frame(clip) {
    const {left, right, top, bottom} = INNER;
    const seen = {x: left - 1, y: top - 5, width: right - left + 2, height: bottom - top + 10};
    return svg(
      'svg',
      {viewBox: `0 0 ${SIZE.width} ${SIZE.height}`, role: 'img', 'aria-label': this.label, class: 'chart'},
      svg('defs', null, svg('clipPath', {id: clip}, svg('rect', seen))),
      svg('g', {class: 'grid'}, this.uprightGrid(), this.levelGrid()),
      svg('text', {class: 'axis', x: left - 34, y: 14}, this.y.label),
      svg('text', {class: 'axis', x: right, y: SIZE.height - 8, 'text-anchor': 'end'}, this.x.label),
      this.marks,
      this.guide,
      this.above,
    );
  }

  uprightGrid() {
    return ticksOf(this.x).flatMap(([value, words]) => {
      const at = this.across(value);
      return [
        svg('line', {x1: at, x2: at, y1: INNER.top, y2: INNER.bottom}),
        svg('text', {x: at, y: INNER.bottom + 15, 'text-anchor': 'middle'}, words),
      ];
    });
  }

  levelGrid() {
    return ticksOf(this.y).flatMap(([value, words]) => {
      const at = this.up(value);
      return [
        svg('line', {x1: INNER.left, x2: INNER.right, y1: at, y2: at}),
        svg('text', {x: INNER.left - 6, y: at + 4, 'text-anchor': 'end'}, words),
      ];
    });
  }

  /** Where a value of the horizontal axis is drawn. @param {number} value */
  across(value) {
    return INNER.left + ((INNER.right - INNER.left) * (value - this.x.low)) / (this.x.high - this.x.low);
  }

  /** Where a value of the vertical axis is drawn. @param {number} value */
  up(value) {
    return INNER.bottom - ((INNER.bottom - INNER.top) * (value - this.y.low)) / (this.y.high - this.y.low);
  }

  /** @param {number} x @param {number} y */
  place(x, y) {
    return `${this.across(x).toFixed(2)},${this.up(y).toFixed(2)}`;
  }

  /** A line that is broken where a number is missing. @param {number[]} xs @param {number[]} ys */
  path(xs, ys) {
    let text = '';
    let pen = 'M';
    xs.forEach((x, i) => {
      const there = Number.isFinite(x) && Number.isFinite(ys[i]);
      if (there) text += pen + this.place(x, ys[i]);
      pen = there ? 'L' : 'M';
    });
    return text;
  }

  /** @param {number[]} xs @param {number[]} low @param {number[]} high */
  area(xs, low, high) {
    const kept = xs.map((_, i) => i).filter(i => Number.isFinite(low[i]) && Number.isFinite(high[i]));
    if (!kept.length) return '';
    const there = kept.map(i => this.place(xs[i], high[i]));
    const back = kept.reverse().map(i => this.place(xs[i], low[i]));
    return `M${there.concat(back).join('L')}Z`;
  }

  /** @param {number[]} xs @param {number[]} ys @param {string} look */
  line(xs, ys, look) {
    const made = svg('path', {d: this.path(xs, ys), class: `line ${look}`});
    this.marks.append(made);
    return made;
  }

  /** @param {number[]} xs @param {number[]} low @param {number[]} high @param {string} look */
  band(xs, low, high, look) {
    const made = svg('path', {d: this.area(xs, low, high), class: `band ${look}`});
    this.marks.append(made);
    return made;
  }

  /** @param {number} x @param {number} y @param {string} text @param {string} anchor */
  words(x, y, text, anchor, look = 'note') {
    const made = svg('text', {x, y, 'text-anchor': anchor, class: look}, text);
    this.above.append(made);
    return made;
  }

  /** A dot; what is returned moves it. @param {string} look */
  point(look) {
    const made = svg('circle', {r: 6, class: `point ${look}`, visibility: 'hidden'});
    this.above.append(made);
    return (/** @type {number} */ x, /** @type {number} */ y) => {
      const seen = Number.isFinite(x) && Number.isFinite(y);
      made.setAttribute('visibility', seen ? 'visible' : 'hidden');
      if (seen) setAttributes(made, {cx: this.across(x).toFixed(2), cy: this.up(y).toFixed(2)});
    };
  }

  /** A line from bottom to top; what is returned moves it. @param {string} look */
  upright(look) {
    const made = svg('line', {class: look, y1: INNER.top, y2: INNER.bottom});
    this.above.append(made);
    return (/** @type {number} */ x) => {
      const at = clamped(this.across(x), INNER.left, INNER.right);
      setAttributes(made, {x1: at, x2: at});
    };
  }

  /** @param {string} text */
  describe(text) {
    this.node.setAttribute('aria-label', `${this.label}. ${text}`);
  }

  /** Let `say` tell what stands at a place along the horizontal axis. @param {(x: number) => string} say */
  hover(say) {
    const show = (/** @type {PointerEvent} */ event) => {
      const value = this.valueUnder(event);
      setAttributes(this.guide, {visibility: 'visible', x1: this.across(value), x2: this.across(value)});
      setText(this.readout, say(value));
    };
    this.node.addEventListener('pointermove', show);
    this.node.addEventListener('pointerdown', show);
    this.node.addEventListener('pointerleave', () => {
      this.guide.setAttribute('visibility', 'hidden');
      setText(this.readout, ' ');
    });
  }

  /** @param {PointerEvent} event */
  valueUnder(event) {
    const frame = this.node.getBoundingClientRect();
    const at = ((event.clientX - frame.left) * SIZE.width) / frame.width;
    const share = clamped((at - INNER.left) / (INNER.right - INNER.left), 0, 1);
    return this.x.low + (this.x.high - this.x.low) * share;
  }
}

/** The height of a line at x, between its points. @param {number[]} xs @param {number[]} ys @param {number} x */
export function heightAt(xs, ys, x) {
  if (!xs.length || x < xs[0] || x > xs[xs.length - 1]) return NaN;
  let low = 0;
  let high = xs.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (xs[middle] <= x) low = middle;
    else high = middle;
  }
  const step = xs[high] - xs[low];
  return step > 0 ? ys[low] + ((ys[high] - ys[low]) * (x - xs[low])) / step : ys[high];
}
