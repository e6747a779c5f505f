// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// An `oppi://` link opened on the desktop, in `link.json`: passed in a file to the terminal that
/// shows it, because it contains a token and command lines are readable by all users.
struct LinkStore: Sendable {
  /// Longer than the lifetime of any invite.
  private static let lifetime = Duration.seconds(90)
  /// In bytes; larger than any link that is accepted.
  private static let sizeLimit = 65_536

  private let file: JSONFile
  private let files: FileStore

  init(paths: XDGPaths, files: FileStore) {
    file = JSONFile(
      path: paths.linkFile,
      in: files,
      privacy: .secret,
      limit: Self.sizeLimit,
      .passing
    )
    self.files = files
  }

  /// Stores a link, replacing a previous one.
  func leave(_ link: String, at now: Timestamp) throws(FileError) {
    try file.save(["link": .string(link), "until": .string(now.moved(by: Self.lifetime).iso8601)])
  }

  /// Returns and removes the link; `nil` if there is none or it has expired.
  func take(at now: Timestamp) throws(FileError) -> String? {
    guard let json = try file.load() else { return nil }
    discard()
    guard let until = json["until"].string.flatMap(Timestamp.init(iso8601:)), now < until else {
      return nil
    }
    return json["link"].string
  }

  func discard() { try? file.remove() }
}
