// SPDX-License-Identifier: MIT

import HTTPCodec

extension HTTPRequest {
  /// The items of the query, as they are written.
  var query: [String: String] {
    let text = target.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
    let items = text.split(separator: "&").map { item in
      let halves = item.split(separator: "=", maxSplits: 1)
      return (String(halves[0]), halves.count > 1 ? String(halves[1]) : "")
    }
    return Dictionary(items) { first, _ in first }
  }
}
