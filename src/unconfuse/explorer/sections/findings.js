// What these data say, in sentences that Python wrote.

import {details, html, prose, remark} from '../elements.js';
import {MODELS} from '../models.js';
import {payload} from '../payload.js';
import {chosenModel, state, watchOnly} from '../state.js';
import {capital, number, numberText} from '../text.js';
import {verdictTone} from '../verdicts.js';

/** @import {FindingPart, Named, Section, Value} from '../types' */

/** @param {Named<Value>} found */
function numbersText(found) {
  return Object.entries(found)
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${numberText(number(value))}`)
    .join(', ');
}

/** @param {string} rule @param {Named<Value>} found */
function why(rule, found) {
  const known = Object.keys(found).length > 0;
  const sentence = rule.endsWith('.') ? rule : `${capital(rule)}.`;
  return details('Why', remark(sentence), known && remark(`Numbers: ${numbersText(found)}.`));
}

/** @param {string} verdict @param {string} sentence @param {string} rule @param {Named<Value>} found */
function item(verdict, sentence, rule = '', found = {}) {
  const head = html('span', {class: `verdict ${verdictTone(verdict)}`}, capital(verdict));
  return html('li', null, head, html('p', null, prose(sentence)), rule ? why(rule, found) : null);
}

/** @param {FindingPart[] | undefined} found */
export const items = (found = []) => found.map(each => item(each.verdict, each.sentence, each.rule, each.numbers));

/**
 * Verdicts that say only that data cannot tell become one, with what they say behind it.
 * @param {FindingPart[]} found
 */
function merged(found) {
  const [open, sure] = [true, false].map(wanted =>
    found.filter(each => (verdictTone(each.verdict) === 'cannot-tell') === wanted),
  );
  if (open.length < 2) return items(found);
  const words = `${open.length} of ${found.length} questions are inconclusive.`;
  const lines = html(
    'ul',
    null,
    open.map(each => html('li', null, prose(each.sentence))),
  );
  const folded = details('Which ones', lines);
  return [
    ...items(sure),
    html('li', null, html('span', {class: 'verdict cannot-tell'}, 'Cannot tell'), html('p', null, words), folded),
  ];
}

/** What the page is about, before the findings of a single model. */
function leading() {
  const {kind, subgroups, card} = payload;
  if (kind === 'subgroups') return merged(subgroups?.findings || []);
  return kind === 'thresholds' ? items(card?.findings) : [];
}

function heading() {
  const words = payload.kind === 'subgroups' ? 'On everyone together' : `On ${chosenModel()?.title} alone`;
  const wanted = payload.kind === 'subgroups' || MODELS.length > 1;
  return wanted ? [html('li', {class: 'heading'}, html('h3', null, words))] : [];
}

/** @type {Section} */
export const findingsSection = {
  id: 'findings',
  title: 'What else these data say',
  short: 'What else',
  when: () => MODELS.length > 0 || leading().length > 0,
  build: root => {
    const list = html('ul', {class: 'findings'});
    root.append(list);
    watchOnly(
      () => state.model,
      () => list.replaceChildren(...leading(), ...heading(), ...items(chosenModel()?.findings)),
    );
  },
};
