// Estimates as rows of tables: a value, its interval as text and as a bar, and what chance would give.

import {html, rowHead} from './elements.js';
import {intervalBar} from './interval_bar.js';
import {intervalText, number, numberText} from './text.js';

/** @import {EstimatePart, Interval, ShortEstimatePart} from './types' */

/** @param {ShortEstimatePart} part @returns {Interval} */
export const readInterval = part => ({value: number(part.value), low: number(part.low), high: number(part.high)});

/** @param {EstimatePart} part */
export const readEstimate = part => ({...readInterval(part), baseline: number(part.baseline)});

/** @param {string} label @param {EstimatePart} part */
function estimateWords(label, part) {
  if (part.undefined) return `${label}: undefined, ${part.undefined}`;
  const {value, low, high, baseline} = readEstimate(part);
  const chance = Number.isFinite(baseline) ? `, chance ${numberText(baseline)}` : '';
  return `${label} ${numberText(value)} ${intervalText(low, high)}${chance}`;
}

/**
 * @param {string} id @param {{label: string, question: string}} declared @param {EstimatePart} part
 * @param {number[]} range of the picture
 */
export function estimateRow(id, {label, question}, part, range) {
  const found = readEstimate(part);
  const bar = intervalBar(found, {range, label: estimateWords(label, part)});
  const certain = part.bound_text && html('span', {class: 'muted bound'}, `exact value certainly ${part.bound_text}`);
  return [
    rowHead(label, question),
    html('td', {class: 'num big', id, 'data-value': found.value}, numberText(found.value)),
    html(
      'td',
      {class: 'barcell'},
      bar,
      html('span', {class: 'muted'}, intervalText(found.low, found.high)),
      certain || null,
    ),
  ];
}

/** The same in words only: label, value, interval, chance. @param {string} label @param {EstimatePart} part */
export function estimateTexts(label, part) {
  const {value, low, high, baseline} = readEstimate(part);
  const chance = Number.isFinite(baseline) ? numberText(baseline) : '';
  return [label, numberText(value), intervalText(low, high), chance];
}
