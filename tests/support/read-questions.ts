// Reads a list with what does not fit, and prints the result: for a process in which `eval` is forbidden.
import { read } from '../../src/core/schema/read.js';
import { questionSearchResponse } from '../../src/resources/questions/schemas.js';

const list = [{ id: '1' }, { text: 'no id' }, { id: 2, hold: 'no' }];
console.log(JSON.stringify(read(questionSearchResponse, list, false)));
