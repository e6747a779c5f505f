// SPDX-License-Identifier: MIT

import Foundation
import LoopbackServer
import OppiModel
import ProgramTestSupport
import TestSupport
import Testing

/// A home in which the examples find what they need.
extension ExamplesTests {
  /// Where the program is below the home folder.
  static let program = ".local/bin/oppi"

  /// The text of an example.
  static func example(_ path: String) throws -> String {
    try String(contentsOf: .package.appending(path: "Examples/\(path)"), encoding: .utf8)
  }

  /// A home that is paired with a server whose workspaces have the examples' names.
  static func start(in home: Home) async throws -> RunningServer {
    let server = try await Line.multiplexedHTTP.start { $0.workspaces[0].name = "api" }
    let pairing = try await home.oppi("pair", "-", input: server.makeInvite().json)
    try #require(pairing.status == 0, "\(pairing)")
    _ = try await home.oppi("workspaces")
    try install(in: home)
    return server
  }

  /// Puts the program where the examples call it.
  static func install(in home: Home) throws {
    let place = home.folder.appending(path: program)
    try FileManager.default.createDirectory(
      at: place.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try FileManager.default.createSymbolicLink(
      at: place,
      withDestinationURL: URL(filePath: Executable.oppi)
    )
  }

  /// Puts the script of the keys in its place, and a program that notes what is notified.
  static func install(_ script: String, in home: Home) throws {
    let script = try example(script)
    try home.write(script, to: ".local/bin/ask-and-tell", isExecutable: true)
    let notify = "#!/bin/sh\necho \"$*\" >>\"$HOME/told\"\n"
    try home.write(notify, to: "bin/notify-send", isExecutable: true)
  }
}
