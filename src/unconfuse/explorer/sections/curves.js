// The curves of the scores, with their bands.

import {html} from '../elements.js';
import {MODELS} from '../models.js';
import {decisionPicture} from '../pictures/net_benefit.js';
import {gainPicture, precisionGainPicture} from '../pictures/gain.js';
import {precisionPicture, rocPicture} from '../pictures/rates.js';

/** @import {Section} from '../types' */

const PICTURES = {
  roc: rocPicture,
  precision_recall: precisionPicture,
  decision_curve: decisionPicture,
  gain: gainPicture,
  precision_recall_gain: precisionGainPicture,
};

/** @type {Section} */
export const curvesSection = {
  id: 'curves',
  title: 'Curves, with bands',
  short: 'Curves',
  about: 'ROC, precision and recall, decision curve, gain',
  when: () => MODELS.length > 0 && Object.keys(MODELS[0].curves).length > 0,
  build: root => {
    const known = Object.entries(PICTURES).filter(([name]) => MODELS.some(each => each.curves[name]));
    root.append(html('div', {class: 'grid'}, ...known.map(([, draw]) => draw())));
  },
};
