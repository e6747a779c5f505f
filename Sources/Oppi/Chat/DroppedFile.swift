// SPDX-License-Identifier: MIT

import OppiText

/// The path of a file as terminals paste it when the file is dropped on the window: quoted or escaped
/// for a shell, or a URI.
enum DroppedFile {
  /// The longest path with every byte percent-encoded, in bytes; a longer paste is text.
  private static let sizeLimit = 3 * 4096
  private static let imageEndings = [".png", ".jpg", ".jpeg", ".gif", ".webp"]

  /// The path of what may be an image; `nil` for any other paste.
  static func imagePath(in paste: String) -> String? {
    guard paste.utf8.count <= sizeLimit else { return nil }
    // Some terminals add a blank.
    let path = path(paste.trimmed)
    let isSafe = !path.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    guard path.hasPrefix("/"), isSafe, imageEndings.contains(where: path.lowercased().hasSuffix)
    else { return nil }
    return path
  }

  /// The path without quotes, escapes and scheme; several words are taken unchanged, because a path
  /// may contain blanks.
  static func path(_ text: String) -> String {
    let words = ShellWords.split(text) ?? []
    let word = words.count == 1 ? words[0] : text
    // The host of the URI (RFC 8089) must be this machine.
    let local = ["file:///", "file://localhost/"].first { word.hasPrefix($0) }
    return local.map { "/" + String(word.dropFirst($0.count)).percentDecoded() } ?? word
  }
}
