// SPDX-License-Identifier: MIT

import Glibc

extension [UInt8] {
  /// Whether the bytes contain the bytes of a text.
  package func holds(_ text: String) -> Bool {
    let word = Array(text.utf8)
    guard let first = word.first else { return true }
    return withUnsafeBytes { bytes in
      var rest = bytes[...]
      while rest.count >= word.count, let begin = UnsafeRawBufferPointer(rebasing: rest).baseAddress
      {
        let last = rest.count - word.count + 1
        guard let found = memchr(begin, Int32(first), last) else { return false }
        rest = rest[(rest.startIndex + begin.distance(to: UnsafeRawPointer(found)))...]
        if rest.starts(with: word) { return true }
        rest = rest.dropFirst()
      }
      return false
    }
  }
}
