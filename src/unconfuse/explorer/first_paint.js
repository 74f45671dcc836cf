// What the first screen does not show is drawn once the first screen is seen.

import {html} from './elements.js';

/** Milliseconds after which nobody waits any longer: a frame out of sight is never painted. */
const LONGEST = 500;

/** A page with an unfinished document inside does not count as loaded, until the frame that is returned is removed. */
function holdLoading() {
  const frame = html('iframe', {hidden: true});
  document.body.append(frame);
  frame.contentDocument?.open();
  return frame;
}

/**
 * Run after the first paint, yet before the page counts as loaded: printers, programs and tests that wait for that
 * find it whole. At once where nobody looks, or where a page may not hold its loading.
 * @param {() => void} run
 */
export function afterFirstPaint(run) {
  const frame = holdLoading();
  let waits = true;
  const go = () => {
    if (!waits) return;
    waits = false;
    run();
    frame.remove();
  };
  if (document.hidden || !frame.contentDocument) return go();
  setTimeout(go, LONGEST);
  new PerformanceObserver(go).observe({type: 'paint', buffered: true});
}
