// The horizontal axis of pictures against the threshold; "label nobody" has no place on it.

/** @import {Axis, Model} from '../types' */

/** @param {Model} model */
export const finiteThresholds = ({thresholds}) => thresholds.filter(Number.isFinite);

/** @param {number[]} thresholds @param {string} label @returns {Axis} */
export function thresholdAxis(thresholds, label) {
  const low = thresholds[0];
  return {low, high: Math.max(thresholds[thresholds.length - 1], low + 1e-9), label};
}
