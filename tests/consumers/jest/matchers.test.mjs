import { beforeEach, expect, test } from '@jest/globals';
import * as testing from 'marketplace-seller-sdk/testing';
import matchers from './matchers.js';

matchers(testing, { beforeEach, expect, test });
