// To show others: a link to what is seen, its words, its numbers, and paper.

import {CLASSES, theClasses} from './classes.js';
import {copy, copyStatus} from './copying.js';
import {csvText, menu, saveText} from './downloads.js';
import {button, html} from './elements.js';
import {readInterval} from './estimates.js';
import {choices} from './fragment.js';
import {decision, MODELS} from './models.js';
import {DECISIONS, METRICS, payload} from './payload.js';
import {chosenModel, state} from './state.js';
import {thresholdText} from './text.js';

/** @param {string} id */
const textOf = id => document.getElementById(id)?.textContent?.trim() || '';

/** The first screen in words. */
export function pageText() {
  const three = [...document.querySelectorAll('#first .trio li')].map(each => {
    const [what, value, range] = ['.what', '.value', '.range'].map(part => each.querySelector(part)?.textContent || '');
    return `${what}: ${value}` + (range && ` (${range})`);
  });
  const head = [document.querySelector('h1')?.textContent || '', textOf('about')];
  const said = [textOf('lead'), textOf('answer'), [textOf('verdict'), textOf('where')].filter(Boolean).join(', ')];
  return [...head, ...said, ...three, `unconfuse ${payload.version}`].filter(Boolean).join('\n');
}

/** @returns {(string | number)[][]} */
function metricRows() {
  if (CLASSES) {
    const {summaries, declared} = theClasses();
    return Object.entries(summaries).map(([name, part]) => [
      name,
      declared[name]?.label || name,
      ...Object.values(readInterval(part)),
    ]);
  }
  const model = chosenModel();
  const moved = DECISIONS.map(name => {
    const {value, low, high} = decision(model, name, state.stop);
    return [name, METRICS[name].label, value, low, high];
  });
  const fixed = Object.entries(model.estimates)
    .filter(([name]) => METRICS[name].of !== 'counts')
    .map(([name, part]) => [name, METRICS[name].label, ...Object.values(readInterval(part))]);
  return [...moved, ...fixed];
}

function saveNumbers() {
  const at =
    MODELS.length && !CLASSES && chosenModel().scored
      ? ` at ${thresholdText(chosenModel().thresholds[state.stop])}`
      : '';
  saveText(csvText(['metric', 'label', 'value', 'low', 'high'], metricRows()), 'text/csv', `numbers${at}`, 'csv');
}

const linkText = () => location.href.split('#')[0] + (choices() && `#${choices()}`);

const copyCitation = () => copy(payload.citation?.text || '');

export function shareMenu() {
  const known = CLASSES || MODELS.length;
  const items = [
    button({}, 'Copy a link to this view', () => copy(linkText())),
    button({id: 'copy-text'}, 'Copy as text', () => copy(pageText())),
    ...(known ? [button({id: 'save-numbers'}, 'Download the numbers (CSV)', saveNumbers)] : []),
    ...(payload.citation ? [button({id: 'copy-citation'}, 'Copy the citation', copyCitation)] : []),
    button({}, 'Print', () => print()),
  ];
  return html('span', {class: 'share-menu'}, menu('Share', 'Share', items), copyStatus);
}
