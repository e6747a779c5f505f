// SPDX-License-Identifier: MIT

package import EventLoop

/// The cache `mimeinfo.cache` of desktop entries in a folder, in which desktops find the program
/// for a file or link; written by `update-desktop-database`.
package struct DesktopDatabase: Sendable {
  /// Reading even thousands of entries takes less.
  private static let limit = Duration.seconds(10)

  private let program: String
  private let folder: String
  private let loop: EventLoop

  /// Fails if the program is not installed.
  package init?(folder: String, environment: [String: String], on loop: EventLoop) {
    guard let program = Program.find("update-desktop-database", path: environment["PATH"] ?? "")
    else { return nil }
    (self.program, self.folder, self.loop) = (program, folder, loop)
  }

  package var cache: String { "\(folder)/mimeinfo.cache" }

  /// Updates the cache; on failure it stays as it was.
  package func refresh() async {
    var process = ChildProcess(arguments: [program, folder])
    process.isOutputDiscarded = true
    process.errors = .discarded
    _ = try? await process.run(on: loop, until: loop.now + Self.limit)
  }
}
