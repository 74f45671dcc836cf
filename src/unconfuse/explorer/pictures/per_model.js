// Pictures that are drawn anew for another model, and only follow the slider otherwise.

import {html} from '../elements.js';
import {chosenModel, state, watch} from '../state.js';

/** @import {Model, Picture} from '../types' */

/** @param {(model: Model) => Picture} make @param {() => unknown} key what calls for a new drawing */
export function perModel(make, key = () => state.model) {
  const place = html('div', {class: 'place'});
  let shown = /** @type {unknown} */ (null);
  let follow = () => {};
  watch(() => {
    if (shown !== key()) {
      shown = key();
      const made = make(chosenModel());
      place.replaceChildren(made.node);
      follow = made.follow;
    }
    follow();
  });
  return place;
}
