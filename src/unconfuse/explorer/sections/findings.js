// What these data say, in sentences that Python wrote.

import {CLASSES} from '../classes.js';
import {details, html, remark} from '../elements.js';
import {MODELS} from '../models.js';
import {payload} from '../payload.js';
import {chosenModel, state, watchOnly} from '../state.js';
import {capital, levelText, number, numberText, percentRange} from '../text.js';

/** @import {Classes, FindingPart, Named, Section, Value} from '../types' */

/** @type {Named<string | undefined>} */
const TONES = {
  'better than guessing': 'better',
  'no better than guessing': 'worse',
  reversed: 'worse',
  better: 'better',
  misleading: 'worse',
  worse: 'worse',
  'cannot tell': 'cannot-tell',
  'cannot tell at this sample size': 'cannot-tell',
};
/** @param {Named<Value>} found */
function numbersText(found) {
  return Object.entries(found)
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${numberText(number(value))}`)
    .join(', ');
}

/** @param {string} rule @param {Named<Value>} found */
function why(rule, found) {
  const known = Object.keys(found).length > 0;
  return details('Why', remark(rule.endsWith('.') ? rule : `${capital(rule)}.`), known && remark(`Numbers: ${numbersText(found)}.`));
}

/** @param {string} verdict @param {string} sentence @param {string} rule @param {Named<Value>} found */
function item(verdict, sentence, rule = '', found = {}) {
  const head = html('span', {class: `verdict ${TONES[verdict] || ''}`}, capital(verdict));
  return html('li', null, head, html('p', null, sentence), rule ? why(rule, found) : null);
}

/** @param {FindingPart[] | undefined} found */
const items = (found = []) => found.map(each => item(each.verdict, each.sentence, each.rule, each.numbers));

/** What the page is about, before the findings of a single model. */
function leading() {
  const {kind, comparison, resolution, subgroups, card} = payload;
  if (kind === 'compare') return (comparison?.findings || []).map(each => item('comparison', each));
  if (kind === 'resolve') return [item('resolving power', resolution?.paragraph || '')];
  if (kind === 'classes') return items(CLASSES?.findings);
  if (kind === 'subgroups') return items(subgroups?.findings);
  return kind === 'thresholds' ? items(card?.findings) : [];
}

function heading() {
  const words = payload.kind === 'subgroups' ? 'On everyone together' : `On ${chosenModel()?.title} alone`;
  const wanted = payload.kind === 'subgroups' || (MODELS.length > 1 && !CLASSES);
  return wanted ? [html('li', {class: 'heading'}, html('h3', null, words))] : [];
}

/** @param {Classes} classes */
function commonestConfusions({worst, level}) {
  const lines = worst.map(each => {
    const words = ` ${levelText(level)} interval ${percentRange(number(each.low), number(each.high))}`;
    return html('li', null, each.sentence, html('span', {class: 'muted small'}, words));
  });
  return [html('h3', {class: 'after'}, 'The commonest confusions'), html('ol', {class: 'worst', id: 'worst'}, lines)];
}

/** @type {Section} */
export const findingsSection = {
  id: 'findings',
  title: 'What these data say',
  short: 'Verdict',
  when: () => true,
  build: root => {
    const list = html('ul', {class: 'findings'});
    root.append(list);
    watchOnly(
      () => state.model,
      () => {
        const own = MODELS.length && !CLASSES ? items(chosenModel().findings) : [];
        list.replaceChildren(...leading(), ...heading(), ...own);
      },
    );
    if (CLASSES && CLASSES.worst.length) root.append(...commonestConfusions(CLASSES));
  },
};
