// Pictures: one plot area with two axes, lines, bands and points; a read-out under the pointer.

import {hasNumbers} from './downloads.js';
import {html, setAttributes, setText, svg, uniqueId} from './elements.js';

/** @import {Axis, Interval} from './types' */

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
    /** What is drawn: what it is called, across, up, and up to where. @type {[string, number, number][]} */
    this.drawn = [];
    hasNumbers(this.node, ['line', x.label, y.label], () => this.drawn);
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

  /**
   * Remember what is drawn, for those who want its numbers.
   * @param {string} name @param {number[]} xs @param {number[]} ys
   */
  note(name, xs, ys) {
    xs.forEach((x, i) => this.drawn.push([name, x, ys[i]]));
  }

  /** @param {number[]} xs @param {number[]} ys @param {string} look */
  line(xs, ys, look, name = look) {
    const made = svg('path', {d: this.path(xs, ys), class: `line ${look}`});
    this.marks.append(made);
    this.note(name, xs, ys);
    return made;
  }

  /** @param {number[]} xs @param {number[]} low @param {number[]} high @param {string} look */
  band(xs, low, high, look, name = look) {
    const made = svg('path', {d: this.area(xs, low, high), class: `band ${look}`});
    this.marks.append(made);
    this.note(`${name}, lower end`, xs, low);
    this.note(`${name}, upper end`, xs, high);
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

  /**
   * The interval of a dot, up and (if known) across, with its words beside it; what is returned moves it.
   * @param {string} look
   */
  interval(look) {
    const [up, across] = [1, 2].map(() => svg('line', {class: `whisker ${look}`, visibility: 'hidden'}));
    const words = svg('text', {class: 'note strong'});
    this.above.append(up, across, words);
    return (/** @type {Interval} */ x, /** @type {Interval} */ y, /** @type {string} */ text) => {
      const [left, right, low, high] = [this.across(x.low), this.across(x.high), this.up(y.low), this.up(y.high)];
      const [at, height] = [this.across(x.value), this.up(y.value)];
      const seen = Number.isFinite(at) && Number.isFinite(height);
      up.setAttribute('visibility', seen && Number.isFinite(low) ? 'visible' : 'hidden');
      across.setAttribute('visibility', seen && Number.isFinite(left) ? 'visible' : 'hidden');
      setText(words, seen ? text : '');
      if (!seen) return;
      if (Number.isFinite(low)) setAttributes(up, {x1: at, x2: at, y1: low, y2: high});
      if (Number.isFinite(left)) setAttributes(across, {x1: left, x2: right, y1: height, y2: height});
      const end = at > (INNER.left + INNER.right) / 2;
      const beside = {x: at + (end ? -10 : 10), 'text-anchor': end ? 'end' : 'start'};
      setAttributes(words, {...beside, y: clamped(height + 18, INNER.top + 12, INNER.bottom - 4)});
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

  /** Let a click, or a drag, choose a place: `run` is told where. @param {(x: number, y: number) => void} run */
  pick(run) {
    const chosen = (/** @type {PointerEvent} */ event) => run(this.valueUnder(event), this.heightUnder(event));
    this.node.classList.add('picked');
    this.node.addEventListener('pointerdown', event => {
      this.node.setPointerCapture(event.pointerId);
      chosen(event);
    });
    this.node.addEventListener('pointermove', event => event.buttons === 1 && chosen(event));
  }

  /** @param {PointerEvent} event */
  heightUnder(event) {
    const frame = this.node.getBoundingClientRect();
    const at = ((event.clientY - frame.top) * SIZE.height) / frame.height;
    const share = clamped((INNER.bottom - at) / (INNER.bottom - INNER.top), 0, 1);
    return this.y.low + (this.y.high - this.y.low) * share;
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
