// One interval as a bar: the scale as a line, the interval as a bar, the value as a dot, chance as a tick.

import {clamped} from './chart.js';
import {svg} from './elements.js';

/** @import {Interval} from './types' */

/**
 * @param {Interval & {baseline: number}} found
 * @param {{range: number[], label: string, look?: string, width?: number}} how
 */
export function intervalBar({value, low, high, baseline}, {range: [from, to], label, look = '', width = 220}) {
  const place = (/** @type {number} */ v) => 8 + ((width - 16) * (clamped(v, from, to) - from)) / (to - from);
  const at = place(baseline);
  return svg(
    'svg',
    {viewBox: `0 0 ${width} 22`, class: `bar ${look}`, role: 'img', 'aria-label': label},
    svg('line', {class: 'rail', x1: 8, x2: width - 8, y1: 11, y2: 11}),
    Number.isFinite(baseline) && svg('line', {class: 'chance', x1: at, x2: at, y1: 3, y2: 19}),
    !Number.isNaN(low) &&
      svg('line', {class: 'span', x1: place(low), x2: Math.max(place(high), place(low) + 1), y1: 11, y2: 11}),
    !Number.isNaN(value) && svg('circle', {class: 'dot', cx: place(value), cy: 11, r: 4.5}),
  );
}
