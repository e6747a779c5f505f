// SPDX-License-Identifier: MIT

/// The random texts that name things on the wire.
enum Identifier {
  /// Characters of a workspace's or session's id.
  static let short = 8
  /// Characters of a permission request's id.
  static let long = 12

  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
  )

  /// Makes a text of base64url characters, which may begin with any of them.
  static func make(_ length: Int, beginningWith prefix: String = "") -> String {
    prefix + String((prefix.count..<length).map { _ in alphabet[Int.random(in: 0..<64)] })
  }
}
