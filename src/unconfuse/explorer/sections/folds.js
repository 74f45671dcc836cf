// The folds of a cross-validation: each by itself, their mean, and all cases pooled.

import {howToRead, table} from '../elements.js';
import {METRICS, payload} from '../payload.js';
import {number, numberText} from '../text.js';

/** @import {EstimatePart, Section} from '../types' */

const HOW_FOLDS =
  'The mean over folds evaluates the fitted models, each on the cases it was not fitted to. Pooling puts the ' +
  'scores of all models into one ranking, and is lower where folds score on different scales.';

/** @param {EstimatePart} estimate */
function valueText({value, low, high}) {
  const ends = [low, high].map(each => numberText(number(each)));
  return Number.isNaN(number(value)) ? 'undefined' : `${numberText(number(value))} [${ends[0]}, ${ends[1]}]`;
}

/** @type {Section} */
export const foldsSection = {
  id: 'folds',
  title: 'Fold by fold',
  short: 'Folds',
  about: 'each fold by itself, their mean, and all cases pooled',
  when: () => 'folds' in payload,
  build: root => {
    const {metrics, rows} = payload.folds || {metrics: [], rows: []};
    const heads = ['', ...metrics.map(name => METRICS[name].label)];
    const cells = rows.map(({name, estimates}) => [name, ...metrics.map(each => valueText(estimates[each]))]);
    root.append(howToRead(HOW_FOLDS), table('Folds', heads, cells, {class: 'wide'}));
  },
};
