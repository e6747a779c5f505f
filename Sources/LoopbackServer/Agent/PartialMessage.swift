// SPDX-License-Identifier: MIT

/// What a message of the model has come to while it is still under way.
struct PartialMessage {
  private(set) var thinking = ""
  private(set) var text = ""

  /// Takes a piece that was sent under a type.
  mutating func append(_ delta: String, as type: String) {
    if type == "text_delta" { text += delta } else { thinking += delta }
  }
}
