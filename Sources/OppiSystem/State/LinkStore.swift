// SPDX-License-Identifier: MIT

package import OppiModel

/// An `oppi://` link that a desktop has opened, in `link.json`: left for the terminal in which the
/// user is asked, since it holds a token and a command line is everybody's to read.
package struct LinkStore: Sendable {
  /// No invite holds for longer.
  private static let lifetime = Duration.seconds(90)
  /// More bytes than any link has that is read.
  private static let sizeLimit = 65_536

  private let file: JSONFile
  private let files: FileStore

  package init(paths: XDGPaths, files: FileStore) {
    file = JSONFile(
      path: paths.linkFile,
      in: files,
      privacy: .secret,
      limit: Self.sizeLimit,
      .passing
    )
    self.files = files
  }

  /// Leaves a link, in place of one that nobody has taken.
  package func leave(_ link: String, at now: Timestamp) throws(FileError) {
    try file.save(["link": .string(link), "until": .string(now.moved(by: Self.lifetime).iso8601)])
  }

  /// Takes the link; `nil` where there is none, or only an old one.
  package func take(at now: Timestamp) throws(FileError) -> String? {
    guard let json = try file.load() else { return nil }
    discard()
    guard let until = json["until"].string.flatMap(Timestamp.init(iso8601:)), now < until else {
      return nil
    }
    return json["link"].string
  }

  /// Forgets the link, where there is one.
  package func discard() { try? files.remove(file.path) }
}
