// What the page was given.

import {revived} from './packing.js';

/** @import {Payload} from './types' */

const TEXT = /** @type {HTMLElement} */ (document.getElementById('payload')).textContent || '';

/** @type {Payload} */
export const payload = JSON.parse(TEXT, revived);
export const METRICS = payload.metrics;

/** Metrics of a 2x2 table, which follow the threshold. */
export const DECISIONS = Object.keys(METRICS).filter(name => METRICS[name].of === 'counts');
