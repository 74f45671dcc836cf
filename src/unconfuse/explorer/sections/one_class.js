// Look into one class against the rest: in full where the file has it, in short otherwise.

import {Chart} from '../chart.js';
import {CLASSES, theClasses} from '../classes.js';
import {howToRead, html, remark, table} from '../elements.js';
import {figure} from '../figures.js';
import {FORMULA} from '../formulas.js';
import {MODELS} from '../models.js';
import {payload} from '../payload.js';
import {chooseClass, ONE_CLASS, state, watchOnly} from '../state.js';
import {countText, intervalText, levelText, number, numbers, numberText, percentText} from '../text.js';
import {answerBlock} from './first.js';

/** @import {LinePart, Section} from '../types' */

const HOW_ONE = 'One class versus all others together: a case is “positive” if it belongs to the class. ';
const HOW_ONE_SCORED =
  'Metrics of decisions are those of the predicted classes; the slider asks another question: what if the class were ' +
  'predicted whenever its own score reaches a threshold. It begins where that predicts the class equally often.';
const CUT_SHORT =
  'The page of this class with every metric, slider and picture: --class with its whole name (names are cut short ' +
  'here).';

/** @param {number[]} rest */
function classChooser(rest) {
  const {names, full} = theClasses();
  const option = (/** @type {number} */ i) => html('option', {value: i}, names[i]);
  const first = rest.length ? 'In full, the weakest first' : 'The weakest first';
  const chooser = html(
    'select',
    {id: 'class-chooser'},
    html('optgroup', {label: first}, full.map(option)),
    rest.length ? html('optgroup', {label: 'In short'}, rest.map(option)) : null,
  );
  chooser.addEventListener('change', () => chooseClass(Number(chooser.value)));
  return chooser;
}

/** How to make the page of a class. @param {string} name */
function commandFor(name) {
  if (!payload.command) return `ev.of_class(${JSON.stringify(name)}).report("class.html")`;
  const quoted = `'${name.replaceAll("'", "'\"'\"'")}'`;
  const command = payload.command.replace(/[ ]--(html|payload)[ ]('[^']*'|\S+)/g, '');
  return `${command} --class ${quoted} --html class.html`;
}

/** @param {string} title @param {[number, number][]} pairs of a class and a count @param {number} of */
function confusedList(title, pairs, of) {
  const {names} = theClasses();
  const lines = pairs.slice(0, 5).map(([place, count]) => {
    return html('li', null, `${names[place]}: ${countText(count)} (${percentText(FORMULA.share(count, of))})`);
  });
  return html(
    'div',
    null,
    html('h3', null, title),
    lines.length ? html('ol', {class: 'among'}, lines) : remark('None.'),
  );
}

/** @param {number} i */
function confusedWith(i) {
  const {entries, truth, predicted} = theClasses();
  const wrong = entries.filter(([a, b]) => a !== b && (a === i || b === i)).sort((a, b) => b[2] - a[2]);
  /** @type {[number, number][]} */
  const instead = wrong.filter(each => each[0] === i).map(each => [each[1], each[2]]);
  /** @type {[number, number][]} */
  const wrongly = wrong.filter(each => each[1] === i).map(each => [each[0], each[2]]);
  return html(
    'div',
    {class: 'pair'},
    confusedList('Labelled instead', instead, truth[i]),
    confusedList('Wrongly labelled so', wrongly, predicted[i]),
  );
}

/** @param {number} i */
function shortTable(i) {
  const {names, table: columns, level} = theClasses();
  const rows = Object.entries(columns.metrics).map(([key, each]) => {
    const [value, low, high] = [each.value[i], each.low[i], each.high[i]].map(number);
    const cell = html('td', {class: 'num big', 'data-short': key, 'data-value': value}, numberText(value));
    return [each.label, cell, intervalText(low, high)];
  });
  return table(`${names[i]} vs the rest`, ['Metric', 'Value', `${levelText(level)} interval`], rows);
}

/** @param {string} name @param {LinePart} curve */
function shortCurve(name, curve) {
  const rate = {low: 0, high: 1, label: 'False positive rate'};
  const plot = new Chart(`ROC curve of ${name}`, rate, {low: 0, high: 1, label: 'Sensitivity'});
  plot.line([0, 1], [0, 1], 'baseline');
  plot.line(numbers(curve.x), numbers(curve.y), 'one');
  return figure('ROC curve', plot.wrap, 'Thinned to fit; the page of this class has it in full.');
}

/** @param {string} name */
function whereMore(name) {
  if (theClasses().shortened) return remark(CUT_SHORT);
  const words = html('p', null, 'For the page of this class with every metric, slider and picture:');
  return html('div', null, words, html('pre', {tabindex: 0}, html('code', null, commandFor(name))));
}

/** @param {number} i */
function classSummary(i) {
  const {names, full, truth, predicted, table: columns, small_curves} = theClasses();
  const inFull = full.includes(i);
  const why = columns.undefined[i];
  const cases = `${countText(truth[i])} cases; ${countText(predicted[i])} were labelled so.`;
  const words = html('p', null, why ? `This class ${why}.` : cases);
  const left = html('div', null, html('h3', null, names[i]), words, inFull ? null : shortTable(i));
  const curve = inFull ? null : small_curves[i];
  const grid = html('div', {class: 'grid'}, left, confusedWith(i), curve && shortCurve(names[i], curve));
  return inFull || why ? [grid] : [grid, whereMore(names[i])];
}

/** @type {Section} */
export const oneClassSection = {
  id: 'one',
  title: 'Look into one class',
  short: 'One class',
  when: () => Boolean(CLASSES),
  build: root => {
    const {names, full, size} = theClasses();
    const rest = names.map((_, i) => i).filter(i => !full.includes(i));
    const chooser = classChooser(rest);
    const place = html('div', {id: 'class-summary'});
    const inShort =
      `${countText(full.length)} of ${countText(size)} classes are in this file in full, those with the lowest ` +
      'recall; the others in short, to keep the file small.';
    root.append(howToRead(HOW_ONE + (MODELS.some(each => each.scored) ? HOW_ONE_SCORED : '')));
    if (rest.length) root.append(remark(inShort));
    root.append(html('p', {class: 'field'}, html('label', {for: chooser.id}, 'Class'), chooser), place);
    if (MODELS.length) ONE_CLASS.append(answerBlock());
    watchOnly(
      () => state.class,
      () => {
        chooser.value = String(state.class);
        place.replaceChildren(...classSummary(state.class));
        ONE_CLASS.hidden = !full.includes(state.class);
      },
    );
  },
};
