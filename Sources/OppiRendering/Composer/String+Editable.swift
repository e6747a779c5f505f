// SPDX-License-Identifier: MIT

import OppiModel

extension String {
  /// The text as it may stand in the composer: printable characters, tabs, and line feeds for line
  /// breaks of every kind.
  func editable() -> String {
    String(map { $0.isNewline ? "\n" : $0 }).safeBlock()
  }
}
