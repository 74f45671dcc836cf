// The metrics of the chosen model: the main ones as pictures, all of them in a table.

import {CLASSES} from '../classes.js';
import {details, howToRead, html, table} from '../elements.js';
import {estimateRow, estimateTexts, readEstimate} from '../estimates.js';
import {evaluatedAt, MODELS} from '../models.js';
import {METRICS} from '../payload.js';
import {chosenModel, state, watchOnly} from '../state.js';
import {levelText, number} from '../text.js';

/** @import {EstimatePart, Model, Section} from '../types' */

const MAIN_METRICS = [
  'auroc',
  'average_precision',
  'sensitivity',
  'specificity',
  'precision',
  'npv',
  'balanced_accuracy',
  'f1',
  'mcc',
  'brier_skill',
  'precision_at_indistinguishability',
];
const HOW_HEADLINE =
  'Each dot is the value, the bar around it the interval that the data allow, and the small upright line what ' +
  'labels without any information would reach. A bar that stays clear of that line is more than chance.';

/** @param {string} name @param {EstimatePart} part */
function rangeOf(name, part) {
  const [low, high] = METRICS[name].range.map(number);
  const found = readEstimate(part);
  return [
    Number.isFinite(low) ? low : Math.min(0, found.low, found.value),
    Number.isFinite(high) ? high : Math.max(1, found.high, found.value),
  ];
}

/** @param {Model} model */
function mainTable(model) {
  const {title, level, estimates} = model;
  const cut = evaluatedAt(model);
  const at = cut ? ` ${cut}` : '';
  const known = MAIN_METRICS.filter(name => name in estimates);
  const shown = known.length ? known : Object.keys(estimates).slice(0, 12);
  return table(
    `Main metrics of ${title} with ${levelText(level)} intervals.${at}`,
    ['Metric', 'Value', html('span', null, 'On its scale, with interval')],
    shown.map(name => estimateRow(`headline-${name}`, METRICS[name], estimates[name], rangeOf(name, estimates[name]))),
    {class: 'headline main'},
  );
}

/** @param {Model} model */
function fullTable({title, level, binned, estimates}) {
  const rows = Object.entries(estimates).map(([name, part]) => [
    ...estimateTexts(METRICS[name].label, part),
    ...(binned ? [part.bound_text || 'exact'] : []),
    part.undefined || part.method,
  ]);
  const certain = binned ? ['Exact value certainly'] : [];
  const heads = ['Metric', 'Value', `${levelText(level)} interval`, 'Chance', ...certain, 'How'];
  return details(`All ${rows.length} metrics`, table(`All metrics of ${title}`, heads, rows));
}

/** @type {Section} */
export const headlineSection = {
  id: 'headline',
  title: CLASSES ? 'All metrics of the chosen class' : 'All metrics',
  short: 'Metrics',
  about: 'every metric with its interval, what chance would reach, and how it was made',
  when: () => MODELS.length > 0,
  build: root => {
    const place = html('div', null);
    root.append(howToRead(HOW_HEADLINE), place);
    watchOnly(
      () => state.model,
      () => place.replaceChildren(mainTable(chosenModel()), fullTable(chosenModel())),
    );
  },
};
