// Each class against the rest: a table that can be sorted and searched.

import {CLASSES, theClasses} from '../classes.js';
import {button, howToRead, html, onPaper, setAttributes, setText, svg} from '../elements.js';
import {intervalBar} from '../interval_bar.js';
import {goToClass, state, watch} from '../state.js';
import {countText, intervalText, levelText, numbers, numberText} from '../text.js';

/** @import {Named, Section} from '../types' */

const FIRST_SHOWN = 100;
const SHOWN_MORE = 400;
/** @type {Named<string | undefined>} */
const SHORT_LABELS = {sensitivity: 'Recall', precision: 'Precision', f1: 'F1', auroc: 'AUROC'};

/** @typedef {{name: string, label: string, value: number[], low: number[], high: number[]}} ClassColumn */
/** @typedef {{name: string, words: string, of: (place: number) => number}} SortColumn */

/** @returns {ClassColumn[]} */
function classColumns() {
  return Object.entries(theClasses().table.metrics).map(([name, {label, value, low, high}]) => ({
    name,
    label,
    value: numbers(value),
    low: numbers(low),
    high: numbers(high),
  }));
}

/** @param {ClassColumn[]} metrics @returns {SortColumn[]} */
function sortColumns(metrics) {
  const {truth, predicted} = theClasses();
  return [
    {name: 'class', words: 'Class', of: i => i},
    {name: 'support', words: 'Cases', of: i => truth[i]},
    {name: 'called', words: 'Labelled', of: i => predicted[i]},
    ...metrics.map(({name, label, value}) => ({
      name,
      words: SHORT_LABELS[name] || label,
      of: (/** @type {number} */ i) => value[i],
    })),
  ];
}

/** @param {number} i */
function smallCurve(i) {
  const {small_curves, names} = theClasses();
  const found = small_curves[i];
  if (!found) return html('td', null);
  const y = numbers(found.y);
  const points = numbers(found.x).map((x, p) => `${(1 + 34 * x).toFixed(1)},${(35 - 34 * y[p]).toFixed(1)}`);
  const drawing = svg(
    'svg',
    {viewBox: '0 0 36 36', class: 'spark', role: 'img', 'aria-label': `ROC curve of ${names[i].slice(0, 60)}`},
    svg('path', {class: 'rail', d: 'M1,35L35,1'}),
    svg('path', {class: 'line', d: `M${points.join('L')}`}),
  );
  return html('td', null, drawing);
}

/** @param {ClassColumn} column @param {number} i */
function metricCell(column, i) {
  const [value, low, high] = [column.value[i], column.low[i], column.high[i]];
  const label = `${column.label} ${numberText(value)} ${intervalText(low, high)}`;
  const how = {range: [0, 1], look: 'mini', width: 110, label};
  return html(
    'td',
    {class: 'judged', 'data-metric': column.name, 'data-value': value},
    numberText(value),
    !Number.isNaN(value) && intervalBar({value, low, high, baseline: NaN}, how),
  );
}

/** @param {number} i @param {ClassColumn[]} metrics @param {boolean} curves */
function classRow(i, metrics, curves) {
  const {names, truth, predicted, table} = theClasses();
  const why = table.undefined[i];
  const name = button({class: 'rule name'}, names[i], () => goToClass(i));
  return html(
    'tr',
    {'data-class': i},
    html('th', {scope: 'row'}, name, why ? html('span', {class: 'question'}, why) : null),
    html('td', {class: 'num'}, countText(truth[i])),
    html('td', {class: 'num'}, countText(predicted[i])),
    metrics.map(each => metricCell(each, i)),
    curves && smallCurve(i),
  );
}

/**
 * Classes without a value come last, whichever way the others run; equal ones stay in their order.
 * @param {SortColumn} column @param {boolean} ascending @param {string} wanted part of a name
 */
function rankedClasses({of}, ascending, wanted) {
  const {names} = theClasses();
  const key = (/** @type {number} */ i) => (Number.isNaN(of(i)) ? Infinity : ascending ? of(i) : -of(i));
  return names
    .map((_, i) => i)
    .filter(i => !wanted || names[i].toLowerCase().includes(wanted))
    .sort((a, b) => (key(a) === key(b) ? a - b : key(a) - key(b)));
}

class ClassList {
  constructor() {
    const measured = 'sensitivity' in theClasses().table.metrics;
    this.metrics = classColumns();
    this.columns = sortColumns(this.metrics);
    this.sorted = measured ? 'sensitivity' : 'support';
    this.ascending = measured;
    this.wanted = '';
    this.most = FIRST_SHOWN;
    this.hasCurves = Object.keys(theClasses().small_curves).length > 0;
    /** Rows are made once. @type {Map<number, HTMLElement>} */
    this.rows = new Map();
    this.heads = this.columns.map((each, i) => this.head(each, i));
    this.body = html('tbody', null);
    this.found = html('span', {class: 'muted small', role: 'status', id: 'class-found'});
    this.more = button({}, '', () => this.draw({most: this.most + SHOWN_MORE}));
  }

  /** @param {Partial<Pick<ClassList, 'sorted' | 'ascending' | 'wanted' | 'most'>>} changed */
  draw(changed) {
    Object.assign(this, changed);
    const column = this.columns.find(each => each.name === this.sorted) || this.columns[0];
    const ranked = rankedClasses(column, this.ascending, this.wanted);
    this.body.replaceChildren(...ranked.slice(0, this.most).map(i => this.row(i)));
    const way = this.ascending ? 'ascending' : 'descending';
    for (const each of this.heads) {
      setAttributes(each, {'aria-sort': each.dataset.column === this.sorted ? way : 'none'});
    }
    const all = countText(theClasses().size);
    setText(this.found, this.wanted ? `${countText(ranked.length)} of ${all} classes` : '');
    this.more.hidden = ranked.length <= this.most;
    setText(this.more, `Show more of ${countText(ranked.length)} classes`);
  }

  /** @param {number} i */
  row(i) {
    const known = this.rows.get(i) || classRow(i, this.metrics, this.hasCurves);
    this.rows.set(i, known);
    return known;
  }

  /** @param {SortColumn} column @param {number} i */
  head({name, words}, i) {
    const look = i === 1 || i === 2 ? 'num' : 'judged';
    const sorter = button({class: 'sorter'}, words, () => this.sort(name));
    return html('th', {scope: 'col', class: i ? look : null, 'data-column': name}, sorter);
  }

  /** @param {string} name */
  sort(name) {
    const again = this.sorted === name;
    this.draw({sorted: name, ascending: again ? !this.ascending : !['support', 'called'].includes(name)});
  }

  search() {
    const input = html('input', {type: 'search', id: 'class-search', placeholder: 'part of a name'});
    input.addEventListener('input', () => this.draw({wanted: input.value.trim().toLowerCase()}));
    return html('p', {class: 'field'}, html('label', {for: input.id}, 'Find a class'), input, this.found);
  }

  table() {
    const words = 'Classes, to be sorted';
    const curves = this.hasCurves && html('th', {scope: 'col'}, 'ROC');
    return html(
      'div',
      {class: 'scroll tall', tabindex: 0, role: 'region', 'aria-label': words},
      html(
        'table',
        {class: 'each', id: 'class-table'},
        html('caption', {class: 'hidden'}, words),
        html('thead', null, html('tr', null, this.heads, curves)),
        this.body,
      ),
    );
  }
}

/** @type {Section} */
export const eachClassSection = {
  id: 'each',
  title: 'Each class vs the rest',
  short: 'Classes',
  when: () => Boolean(CLASSES),
  build: root => {
    const {level, size} = theClasses();
    const list = new ClassList();
    const how =
      'Recall is the share of a class labelled correctly, precision the share of those labelled so that belong ' +
      `to it. Bars are ${levelText(level)} intervals on a scale from 0 to 1: a wide bar says that little is known. ` +
      "Press a column's name to sort, and a class to look into it.";
    root.append(howToRead(how));
    if (size > 8) root.append(list.search());
    root.append(list.table(), list.more, onPaper(size, 'classes') || '');
    list.draw({});
    watch(() => list.rows.forEach((row, i) => row.classList.toggle('chosen', i === state.class)));
  },
};
