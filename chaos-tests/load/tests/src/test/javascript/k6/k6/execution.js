export default { scenario: { iterationInTest: 0 } };
