// Metrics at the chosen prevalence, and whether the label is worth following there.

import {html, remark, setData, setText, table} from '../elements.js';
import {FORMULA} from '../formulas.js';
import {atPrevalence} from '../models.js';
import {change, chosenCounts, chosenModel, state, watch} from '../state.js';
import {intervalText, numberText, percentText} from '../text.js';
import {shifted, worthwhilePrevalences} from './shifted.js';

const SHIFTED = {
  precision: 'Precision (PPV)',
  npv: 'Negative predictive value (NPV)',
  accuracy: 'Accuracy',
  f1: 'F1 score',
  mcc: 'Matthews correlation (MCC)',
  lr_positive: 'Positive likelihood ratio (LR+)',
  lr_negative: 'Negative likelihood ratio (LR-)',
};
const NO_INTERVAL =
  'Likelihood ratios do not change with prevalence. Where the last column is empty, the interval has no closed form: ' +
  'ask unconfuse for it at one prevalence (option --prevalence, or uc.shift_prevalence).';

/** @param {[string, string]} metric */
function shiftedRow([name, label]) {
  const value = html('td', {class: 'num', id: `shifted-${name}`});
  const interval = html('td', {class: 'num muted', id: `shifted-interval-${name}`});
  watch(() => {
    const found = shifted(chosenModel(), name, state.stop, state.prevalence);
    setText(value, numberText(found.value));
    setText(interval, intervalText(found.low, found.high));
    setData(value, {value: found.value, low: found.low, high: found.high});
  });
  return [label, value, interval];
}

/** Net benefit of following the label, and of acting on everybody. */
function netBenefits() {
  const {tp, fp} = atPrevalence(chosenCounts(), state.prevalence);
  return {
    label: FORMULA.net_benefit(tp, fp, state.worth),
    all: FORMULA.net_benefit(state.prevalence, 1 - state.prevalence, state.worth),
  };
}

function netBenefitRow() {
  const value = html('td', {class: 'num', id: 'shifted-net'});
  const others = html('td', {class: 'num muted'});
  watch(() => {
    const {label, all} = netBenefits();
    setText(value, numberText(label));
    setData(value, {value: label});
    setText(others, `act on all ${numberText(all)}, on none 0`);
  });
  return ['Net benefit per case', value, others];
}

function bestAction() {
  const {label, all} = netBenefits();
  if (label > Math.max(all, 0) + 1e-15) return 'acting on the labels';
  return all > 0 ? 'acting on all' : 'acting on none';
}

/** @param {number} none @param {number} all */
function worthText(none, all) {
  const here = `At ${percentText(state.prevalence)}, ${bestAction()} has the largest net benefit in these data.`;
  if (Number.isNaN(none) || Number.isNaN(all)) return here;
  if (!(none < all)) {
    return `At this ratio of costs, acting on all or on none is as good as the labels at every prevalence. ${here}`;
  }
  const from = `${percentText(none)} (below it, acting on none has more)`;
  const to = `${percentText(all)} (above it, acting on all has more)`;
  return `At this ratio, the labels have the largest net benefit between a prevalence of ${from} and ${to}. ${here}`;
}

function worthWords() {
  const words = html('p', {class: 'said', id: 'worth-words'});
  watch(() => {
    const {none, all} = worthwhilePrevalences(chosenModel(), state.stop, state.worth);
    setText(words, worthText(none.value, all.value));
    setData(words, {none: none.value, all: all.value});
  });
  return words;
}

function worthField() {
  const input = html('input', {type: 'number', id: 'worth', min: 0.01, step: 'any', value: state.worth});
  input.addEventListener('input', () => {
    const worth = Number(input.value);
    if (worth > 0 && Number.isFinite(worth)) change({worth});
  });
  const label = html('label', {for: input.id}, 'How many false positives is one true positive worth?');
  return html('p', {class: 'field'}, label, input);
}

/** What one positive found is worth decides whether to follow the label. */
export const worth = () => html('div', null, worthField(), worthWords());

export function prevalenceTable() {
  const rows = [...Object.entries(SHIFTED).map(shiftedRow), netBenefitRow()];
  return html(
    'div',
    null,
    table('Metrics at the chosen threshold and prevalence', ['Metric', 'Value', 'Interval'], rows, {
      class: 'decisions',
    }),
    remark(NO_INTERVAL),
  );
}
