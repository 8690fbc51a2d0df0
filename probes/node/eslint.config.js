import js from "@eslint/js";

export default [
  js.configs.recommended,
  {
    languageOptions: {
      globals: { Buffer: "readonly", console: "readonly", process: "readonly", URL: "readonly" },
    },
  },
];
