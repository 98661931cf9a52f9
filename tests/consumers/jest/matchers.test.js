require('./matchers.js')(require('marketplace-seller-sdk/testing'), { beforeEach, expect, test });
