// More pictures of the scores.

import {html} from '../elements.js';
import {MODELS} from '../models.js';
import {decisionPicture} from '../pictures/net_benefit.js';
import {gainPicture, precisionGainPicture} from '../pictures/gain.js';
import {reliabilityPicture} from '../pictures/reliability.js';

/** @import {Section} from '../types' */

const PICTURES = {
  gain: gainPicture,
  precision_recall_gain: precisionGainPicture,
  reliability: reliabilityPicture,
  decision_curve: decisionPicture,
};

/** @type {Section} */
export const curvesSection = {
  id: 'curves',
  title: 'More pictures of the scores',
  short: 'Curves',
  when: () => MODELS.length > 0 && Object.keys(MODELS[0].curves).length > 0,
  build: root => {
    const known = Object.entries(PICTURES).filter(([name]) => MODELS.some(each => each.curves[name]));
    const drawn = known.map(([, draw]) => draw());
    root.append(html('div', {class: 'grid'}, drawn));
  },
};
