// SPDX-License-Identifier: MIT

import OppiModel

/// A value survives printing and parsing in every layout.
func fuzzJSON(_ bytes: [UInt8]) {
  let lenient = try? JSONValue(parsingJSON5: bytes)
  if let value = try? JSONValue(parsing: bytes) {
    precondition(lenient == value, "JSON that is not the same as JSON5")
  }
  guard let value = lenient else { return }
  for layout in [JSONValue.Layout.compact, .indented] {
    for isASCII in [false, true] {
      let text = value.text(layout, escapingNonASCII: isASCII)
      precondition((try? JSONValue(parsing: Array(text.utf8))) == value, "another value: \(text)")
      precondition(!isASCII || text.utf8.allSatisfy { $0 < 0x80 }, "not ASCII: \(text)")
      expectSafe(text, alsoAllowed: layout == .indented ? ["\n"] : [])
    }
  }
}
