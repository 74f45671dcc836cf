// Summaries of several classes together.

import {CLASSES, theClasses} from '../classes.js';
import {details, howToRead, html, table} from '../elements.js';
import {estimateRow, estimateTexts, readEstimate} from '../estimates.js';
import {levelText, number} from '../text.js';

/** @import {Section, SummaryPart} from '../types' */

const MAIN_SUMMARIES = [
  'accuracy',
  'balanced_accuracy',
  'f1_macro',
  'mcc',
  'cohen_kappa',
  'auroc_ovr_macro',
  'auroc_hand_till',
  'log_loss',
  'brier',
  'ece_top_label',
  'aurc',
];
const HOW_SUMMARIES =
  'Each dot is the value, the bar around it the interval that the data allow, and the small upright line what a ' +
  'classifier without any information would reach. Accuracy counts every case alike, so large classes decide ' +
  'it; balanced accuracy and macro averages count every class alike.';

/** @param {string} name */
const declaredSummary = name => theClasses().declared[name] || {label: name, question: '', range: [0, 1]};

/** @param {string} name @param {SummaryPart} part */
function summaryRange(name, part) {
  const [low, high] = declaredSummary(name).range.map(number);
  const found = readEstimate(part);
  const most = [1, found.high, found.value, found.baseline].filter(Number.isFinite);
  return [Number.isFinite(low) ? low : Math.min(0, found.value), Number.isFinite(high) ? high : Math.max(...most)];
}

/** @param {[string, SummaryPart]} entry */
const summaryRow = ([name, part]) =>
  estimateRow(`summary-${name}`, declaredSummary(name), part, summaryRange(name, part));

/** @param {[string, SummaryPart]} entry */
function summaryTexts([name, part]) {
  const how = [part.undefined || part.method, part.note].filter(Boolean).join('; ');
  return [...estimateTexts(declaredSummary(name).label, part), html('td', {class: 'small'}, how)];
}

/** @param {string} name */
const mainRank = name => MAIN_SUMMARIES.indexOf(name) + 1 || 99;

/** @type {Section} */
export const summariesSection = {
  id: 'summaries',
  title: 'All summaries',
  short: 'Summaries',
  about: 'accuracy, balanced accuracy, macro and micro averages, with intervals',
  when: () => Boolean(CLASSES),
  build: root => {
    const level = levelText(theClasses().level);
    const all = Object.entries(theClasses().summaries);
    const main = all
      .filter(([name]) => MAIN_SUMMARIES.includes(name) || name.startsWith('top_k'))
      .sort(([a], [b]) => mainRank(a) - mainRank(b));
    root.append(
      howToRead(HOW_SUMMARIES),
      table(
        `Main summaries with ${level} intervals`,
        ['Summary', 'Value', html('span', null, 'On its scale, with interval')],
        (main.length ? main : all.slice(0, 12)).map(summaryRow),
        {class: 'headline'},
      ),
      details(
        `All ${all.length} summaries`,
        table('All summaries', ['Summary', 'Value', `${level} interval`, 'Chance', 'How'], all.map(summaryTexts)),
      ),
    );
  },
};
