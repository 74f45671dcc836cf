// What a reader pictures: so many of 1,000, and one sentence. `results/in_people.py` says the same in Python.

import {fixed, grouped} from './text.js';
import {POSITIVE, UNIT} from './words.js';

/** @import {Cell, Counts} from './types' */

/** @type {Cell[]} */
const CELL_NAMES = ['tp', 'fp', 'fn', 'tn'];
const LARGEST_BASE = 10 ** 6;
const FEW = 10;

/**
 * The four cells per n cases, rounded so that they still add up to n.
 * @param {Counts} counts @returns {Record<Cell, number>}
 */
export function inWhole(counts, n = 1000) {
  const exact = CELL_NAMES.map(name => n * (counts[name] / counts.total));
  const whole = exact.map(each => Math.floor(each + 1e-9));
  const missing = n - whole.reduce((sum, each) => sum + each, 0);
  const rest = exact.map((each, i) => Math.round(1e6 * (whole[i] - each)));
  const ranked = CELL_NAMES.map((_, i) => i).sort((a, b) => rest[a] - rest[b] || a - b);
  for (const i of ranked.slice(0, missing)) whole[i] += 1;
  return {tp: whole[0], fp: whole[1], fn: whole[2], tn: whole[3]};
}

/** A share as so many of 100, or of more where that would say none or all. @param {number} share */
function soMany(share) {
  const rounded = (/** @type {number} */ base) => Number(fixed(share * base, 0));
  let base = 100;
  while (share > 0 && share < 1 && [0, base].includes(rounded(base)) && base < LARGEST_BASE) base *= 10;
  return {count: rounded(base), base};
}

/** @param {number} count */
const said = count => grouped(String(count));

/** Parts of a sentence; those with a look are stressed. @typedef {{text: string, look?: string}[]} Said */

/** So few that shares of a hundred would promise what nobody knows. @param {Counts} counts @param {string} whom */
function fewParts({tp, positives}, whom) {
  const look = tp ? 'found' : 'missed';
  if (positives === 1)
    return [{text: 'It '}, {text: `${tp ? 'finds' : 'misses'} the only one`, look}, {text: ` of the ${whom}`}];
  return [
    {text: `Of only ${positives} ${whom}, it `},
    {text: `finds ${tp}`, look},
    {text: ` and misses ${positives - tp}`},
  ];
}

/** @param {Counts} counts @param {string} whom @returns {Said} */
function findingParts(counts, whom) {
  const share = counts.tp / counts.positives;
  if (counts.positives < FEW && Number.isInteger(counts.tp) && Number.isInteger(counts.fn))
    return fewParts(counts, whom);
  if (share === 0) return [{text: 'It finds '}, {text: `none of the ${whom}`, look: 'missed'}];
  if (share === 1) return [{text: 'It '}, {text: `finds all ${whom}`, look: 'found'}];
  const {count, base} = soMany(share);
  const found = {text: `finds ${said(count)}`, look: 'found'};
  return [{text: `Of ${said(base)} ${whom}, it `}, found, {text: ` and misses ${said(base - count)}`}];
}

/** @param {number} share @returns {Said} */
function alarmParts(share) {
  if (share === 0) return [{text: 'No alarm is right', look: 'alarms'}];
  if (share === 1) return [{text: 'Every alarm is right', look: 'found'}];
  const {count, base} = soMany(share);
  const right = {text: `${said(count)} ${count === 1 ? 'is' : 'are'} right`, look: 'alarms'};
  return [{text: `Of ${said(base)} alarms, `}, right];
}

/**
 * What a classifier does to those who are positive, and what its alarms are worth where so many are.
 * @param {Counts} counts @param {Counts} there the same at the chosen prevalence @returns {Said}
 */
export function answerParts(counts, there) {
  const whom = `${POSITIVE} ${UNIT}`;
  if (!counts.labelled_positive) return [{text: `It raises no alarm: all ${whom} are missed.`}];
  const right = there.tp / there.labelled_positive;
  return [...findingParts(counts, whom), {text: '. '}, ...alarmParts(right), {text: '.'}];
}

/** @param {Said} parts */
export const answerText = parts => parts.map(each => each.text).join('');
