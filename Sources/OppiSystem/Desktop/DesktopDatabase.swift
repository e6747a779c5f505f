// SPDX-License-Identifier: MIT

package import EventLoop

/// The cache by which desktops find who opens what, `mimeinfo.cache`: made of the desktop entries in
/// a folder by `update-desktop-database`.
package struct DesktopDatabase: Sendable {
  /// Even thousands of entries are read in less.
  private static let limit = Duration.seconds(10)

  private let program: String
  private let folder: String
  private let loop: EventLoop

  /// Finds the program; `nil` where it is not installed.
  package init?(folder: String, environment: [String: String], on loop: EventLoop) {
    guard let program = Program.find("update-desktop-database", path: environment["PATH"] ?? "")
    else { return nil }
    (self.program, self.folder, self.loop) = (program, folder, loop)
  }

  package var cache: String { "\(folder)/mimeinfo.cache" }

  /// Has the cache made anew; a program that cannot leaves it as it was.
  package func refresh() async {
    var process = ChildProcess(arguments: [program, folder])
    process.isOutputDiscarded = true
    process.errors = .discarded
    _ = try? await process.run(on: loop, until: loop.now + Self.limit)
  }
}
