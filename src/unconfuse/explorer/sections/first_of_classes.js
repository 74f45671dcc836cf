// The answer of several classes: what was found, three numbers, and the commonest confusions.

import {theClasses} from '../classes.js';
import {details, html} from '../elements.js';
import {readEstimate} from '../estimates.js';
import {intervalBar} from '../interval_bar.js';
import {levelText, number, numberText, percentRange} from '../text.js';
import {verdictTone} from '../verdicts.js';
import {items} from './findings.js';
import {matrixPicture} from './matrix.js';

/** @import {Section, SummaryPart} from '../types' */

const FIRST_SUMMARIES = ['accuracy', 'balanced_accuracy', 'f1_macro', 'mcc', 'auroc_ovr_macro', 'brier', 'log_loss'];
const MOST_CONFUSIONS = 6;

/** @param {[string, SummaryPart]} entry */
function summaryNumber([name, part]) {
  const {label, question} = theClasses().declared[name];
  const found = readEstimate(part);
  const {value, low, high} = found;
  const range = Number.isNaN(low) ? '' : `${numberText(low)} to ${numberText(high)}`;
  const bar = {
    range: [0, Math.max(1, value || 0, high || 0)],
    label: `${label} ${numberText(value)}, ${range}`,
    width: 560,
  };
  return html(
    'li',
    null,
    html('span', {class: 'what', title: question}, label),
    html('b', {class: 'value', id: `first-${name}`, 'data-value': value}, numberText(value)),
    html('span', {class: 'muted range'}, range),
    html('div', {class: 'scale'}, intervalBar(found, bar)),
  );
}

function confusions() {
  const {worst, level} = theClasses();
  const lines = worst.slice(0, MOST_CONFUSIONS).map(each => {
    const limits = percentRange(number(each.low), number(each.high));
    return html(
      'li',
      null,
      each.sentence,
      html('span', {class: 'muted small'}, ` ${levelText(level)} interval ${limits}`),
    );
  });
  const none = html('p', {class: 'muted'}, 'No case was labelled with another class.');
  return html(
    'div',
    {class: 'commonest'},
    html('h3', null, 'The commonest confusions'),
    lines.length ? html('ol', {class: 'worst', id: 'worst'}, lines) : none,
  );
}

/** @type {Section} */
export const firstOfClassesSection = {
  id: 'first',
  title: 'The answer',
  short: 'Answer',
  when: () => true,
  build: root => {
    const {findings, summaries} = theClasses();
    const [verdict, ...others] = findings;
    const known = FIRST_SUMMARIES.filter(name => name in summaries);
    const shown = (known.length ? known : Object.keys(summaries)).slice(0, 3);
    const said = html(
      'div',
      {class: 'saying'},
      html('p', {class: 'say', id: 'answer'}, verdict ? verdict.sentence : ''),
    );
    if (verdict) {
      const badge = html('span', {class: `badge ${verdictTone(verdict.verdict)}`}, verdict.verdict);
      said.append(html('p', {class: 'verdict-line'}, badge));
    }
    if (others.length) said.append(details('What else these data say', html('ul', {class: 'findings'}, items(others))));
    const three = html(
      'ul',
      {class: 'trio'},
      shown.map(name => summaryNumber([name, summaries[name]])),
    );
    const matrix = matrixPicture();
    root.append(
      html('div', {class: 'answer classes'}, said, matrix.node, html('div', {class: 'beside'}, three, confusions())),
    );
    matrix.ready();
  },
};
