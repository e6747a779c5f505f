// SPDX-License-Identifier: MIT

/// An error answer to a request.
struct Refusal: Error {
  let status: Int
  let text: String

  init(_ status: Int, _ text: String) {
    self.status = status
    self.text = text
  }
}
