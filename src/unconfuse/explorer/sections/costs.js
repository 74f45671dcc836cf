// What errors cost, and to whom: the cheapest threshold for each of two who pay.

import {button, howToRead, html, remark, setData, setText} from '../elements.js';
import {FORMULA} from '../formulas.js';
import {atPrevalence} from '../models.js';
import {payload} from '../payload.js';
import {change, chosenModel, state, watch} from '../state.js';
import {costText, thresholdText} from '../text.js';

/** @import {Payer} from '../types' */

const HOW_COSTS =
  'Different people pay for different errors. Write down what a false positive and a false negative cost each of ' +
  'them, in any unit; the best threshold follows, at the prevalence of the slider.';
const WHERE =
  "The best threshold is sought among the slider's stops, which hold the corners of the ROC curve's hull, where " +
  'costs are least.';
const DEFAULTS = [
  {name: 'Stakeholder A', fp: 1, fn: 10},
  {name: 'Stakeholder B', fp: 5, fn: 1},
];

/** Of 1,000 people, with the chosen model. @param {number} stop @param {Payer} who */
function costAt(stop, who) {
  const {fp, fn} = atPrevalence(chosenModel().counts[stop], state.prevalence);
  return 1000 * FORMULA.expected_cost(fp, fn, who.fp, who.fn);
}

/** Of equally cheap thresholds the one that calls fewest positive, as in the card. @param {Payer} who */
function cheapestStop(who) {
  let best = chosenModel().counts.length - 1;
  for (let stop = best - 1; stop >= 0; stop--) {
    if (costAt(stop, who) < costAt(best, who) - 1e-9) best = stop;
  }
  return best;
}

/** @param {HTMLInputElement} input @param {string} words */
const field = (input, words) => html('p', {class: 'field'}, html('label', {for: input.id}, words), input);

/** @param {Payer} who @param {number} i */
function nameField(who, i) {
  const input = html('input', {type: 'text', value: who.name, id: `who-${i}`, maxlength: 60});
  input.addEventListener('input', () => {
    who.name = input.value;
    change({});
  });
  return field(input, 'Who pays?');
}

/** @param {Payer} who @param {'fp' | 'fn'} error @param {number} i @param {string} words */
function costField(who, error, i, words) {
  const input = html('input', {type: 'number', min: 0, step: 'any', value: who[error], id: `cost-${error}-${i}`});
  input.addEventListener('input', () => {
    const cost = Number(input.value);
    if (!(cost >= 0) || !Number.isFinite(cost)) return;
    who[error] = cost;
    change({});
  });
  return field(input, words);
}

/** @param {Payer} who @param {number} i */
function answers(who, i) {
  const now = html('dd', {class: 'num big', id: `cost-now-${i}`});
  const least = html('dd', {class: 'num big', id: `cost-least-${i}`});
  const where = html('dd', {class: 'num', id: `cost-where-${i}`});
  watch(() => {
    const best = cheapestStop(who);
    const threshold = chosenModel().thresholds[best];
    showCost(now, costAt(state.stop, who));
    showCost(least, costAt(best, who));
    setText(where, threshold === Infinity ? 'label none' : thresholdText(threshold));
    setData(where, {value: threshold});
  });
  const named = {'Now, per 1,000 cases': now, 'At the best threshold': least, 'Best threshold': where};
  const pairs = Object.entries(named).flatMap(([words, cell]) => [html('dt', null, words), cell]);
  return html('dl', null, pairs);
}

/** @param {HTMLElement} cell @param {number} cost */
function showCost(cell, cost) {
  setText(cell, costText(cost));
  setData(cell, {value: cost});
}

/** @param {Payer} who @param {number} i */
function payerPanel(who, i) {
  const title = html('h4', null);
  watch(() => setText(title, who.name || `Stakeholder ${i + 1}`));
  return html(
    'div',
    {class: 'panel'},
    title,
    nameField(who, i),
    costField(who, 'fp', i, 'A false positive costs'),
    costField(who, 'fn', i, 'A false negative costs'),
    answers(who, i),
    button({id: `cost-go-${i}`}, 'Move the slider there', () => change({stop: cheapestStop(who)})),
  );
}

/** @param {Payer[]} payers */
function agreement(payers) {
  const words = html('p', {class: 'said'});
  const [one, two] = payers.map((who, i) => () => who.name || `stakeholder ${i + 1}`);
  watch(() => {
    const [first, second] = payers.map(cheapestStop);
    const more = costText(costAt(first, payers[1]) - costAt(second, payers[1]));
    const different =
      `${one()} and ${two()} want different thresholds: what is best for ${one()} costs ${two()} ${more} more per ` +
      '1,000 cases than necessary.';
    setText(words, first === second ? 'Both are served best by the same threshold.' : different);
  });
  return words;
}

/** Those who pay, side by side, and whether they agree. */
export function costPanels() {
  const given = payload.costs || [];
  const payers = DEFAULTS.map((each, i) => ({...each, ...given[i]}));
  return html(
    'div',
    {id: 'costs'},
    howToRead(HOW_COSTS),
    html('div', {class: 'grid payers'}, payers.map(payerPanel)),
    agreement(payers),
    remark(WHERE),
  );
}
