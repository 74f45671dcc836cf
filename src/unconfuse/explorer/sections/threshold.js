// Where to put the threshold, and what it costs: the scores, the rules, and those who pay.

import {howToRead, html, remark} from '../elements.js';
import {MODELS} from '../models.js';
import {payload} from '../payload.js';
import {rocPicture} from '../pictures/rates.js';
import {scoresPicture} from '../pictures/scores.js';
import {shortCard} from './card.js';
import {costPanels} from './costs.js';

/** @import {Section} from '../types' */

const HOW_THRESHOLD =
  'Cases with this score or more are labelled positive. Lower thresholds find more positives and flag more ' +
  'negatives; which is right depends on what the two errors cost, and to whom.';

/** @type {Section} */
export const thresholdSection = {
  id: 'threshold',
  title: 'Where to put the threshold, and what it costs',
  short: 'Threshold and costs',
  when: () => MODELS.length > 0 && MODELS[0].scored,
  build: root => {
    const {histogram, curves, start_words: start} = MODELS[0];
    root.append(howToRead(HOW_THRESHOLD));
    if (start) root.append(remark(start));
    const rules = payload.card && payload.kind !== 'thresholds' ? shortCard(payload.card) : null;
    const beside = rules || (curves.roc ? rocPicture() : null);
    root.append(
      html('div', {class: 'grid'}, histogram ? scoresPicture() : null, beside),
      html('h3', {id: 'costs-title'}, 'What errors cost, and to whom'),
      costPanels(),
    );
  },
};
