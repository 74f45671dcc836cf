// What the page was given.

/** @import {Payload} from './types' */

/** @type {Payload} */
export const payload = JSON.parse(/** @type {HTMLElement} */ (document.getElementById('payload')).textContent || '');
export const METRICS = payload.metrics;

/** Metrics of a 2x2 table, which follow the threshold. */
export const DECISIONS = Object.keys(METRICS).filter(name => METRICS[name].of === 'counts');
