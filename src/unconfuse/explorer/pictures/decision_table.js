// Every decision metric at the current threshold.

import {details, html, remark, rowHead, setData, setText, table} from '../elements.js';
import {decision, MODELS} from '../models.js';
import {DECISIONS, METRICS} from '../payload.js';
import {chosenModel, state, watch} from '../state.js';
import {intervalText, levelText, numberText} from '../text.js';

const MAIN_DECISIONS = [
  'sensitivity',
  'specificity',
  'precision',
  'npv',
  'accuracy',
  'balanced_accuracy',
  'f1',
  'mcc',
  'youden_j',
  'lr_positive',
  'lr_negative',
  'queue_rate',
];
const ONLY_THERE = 'so intervals exist only at the threshold that was evaluated (see above).';
/** @type {Record<string, string | undefined>} */
const NOT_ALONE = {
  clustered: `Cases come in groups, ${ONLY_THERE}`,
  judged: `Not all cases were verified, ${ONLY_THERE}`,
  sampled: `Cases have sampling weights, ${ONLY_THERE}`,
  'cross-validated': `Numbers are means over folds, ${ONLY_THERE}`,
};

/** @param {string} name */
function decisionRow(name) {
  const value = html('td', {class: 'num', id: `value-${name}`});
  const interval = html('td', {class: 'num muted', id: `interval-${name}`});
  const chance = html('td', {class: 'num muted'});
  watch(() => {
    const found = decision(chosenModel(), name, state.stop);
    setText(value, numberText(found.value));
    setData(value, {value: found.value});
    setText(interval, intervalText(found.low, found.high));
    setText(chance, Number.isFinite(found.chance) ? numberText(found.chance) : '');
  });
  return [rowHead(METRICS[name].label, METRICS[name].question), value, interval, chance];
}

/** @param {string[]} names @param {string} words */
function decisionRows(names, words) {
  const heads = ['Metric', 'Value', `${levelText(MODELS[0].level)} interval`, 'Chance'];
  return table(`${words} at the current threshold`, heads, names.map(decisionRow), {class: 'decisions'});
}

function decisionTables() {
  const main = MAIN_DECISIONS.filter(name => DECISIONS.includes(name));
  const rest = DECISIONS.filter(name => !MAIN_DECISIONS.includes(name));
  if (!main.length) return [decisionRows(rest, 'Decision metrics')];
  const first = decisionRows(main, 'Decision metrics');
  if (!rest.length) return [first];
  return [first, details(`${rest.length} more decision metrics`, decisionRows(rest, 'Further decision metrics'))];
}

export function decisionTable() {
  const words = NOT_ALONE[chosenModel().design];
  const note = words ? remark(words) : null;
  return html('div', null, html('h3', null, 'Every decision metric here'), note, decisionTables());
}
