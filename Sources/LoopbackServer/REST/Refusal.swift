// SPDX-License-Identifier: MIT

/// An error answer to a request.
struct Refusal: Error {
  let status: Int
  let text: String
  /// Told only by older servers' streams, for what cannot get better by itself.
  let code: String?

  init(_ status: Int, _ text: String, code: String? = nil) {
    self.status = status
    self.text = text
    self.code = code
  }
}
