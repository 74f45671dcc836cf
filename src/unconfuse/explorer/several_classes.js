// Where the script of a page of several classes begins.

import {drawPage} from './page.js';
import {eachClassSection} from './sections/each_class.js';
import {firstOfClassesSection} from './sections/first_of_classes.js';
import {MODEL_SECTIONS} from './sections/of_models.js';
import {oneClassSection} from './sections/one_class.js';
import {rejectSection} from './sections/reject.js';
import {summariesSection} from './sections/summaries.js';

drawPage([
  firstOfClassesSection,
  eachClassSection,
  rejectSection,
  oneClassSection,
  summariesSection,
  ...MODEL_SECTIONS,
]);
