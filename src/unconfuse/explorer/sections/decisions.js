// Every decision metric at the current threshold.

import {html} from '../elements.js';
import {MODELS} from '../models.js';
import {decisionTable} from '../pictures/decision_table.js';
import {mosaicPicture} from '../pictures/mosaic.js';
import {trendPicture} from '../pictures/trend.js';

/** @import {Section} from '../types' */

/** @type {Section} */
export const decisionsSection = {
  id: 'decisions',
  title: 'At the current threshold',
  short: 'At the threshold',
  about: 'confusion matrix and every decision metric, following the slider',
  when: () => MODELS.length > 0,
  build: root => {
    const again = MODELS[0].scored ? trendPicture() : null;
    root.append(html('div', {class: 'grid'}, mosaicPicture(), again), decisionTable());
  },
};
