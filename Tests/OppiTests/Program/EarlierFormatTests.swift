// SPDX-License-Identifier: MIT

import Foundation
import OppiModel
import OppiSystem
import OppiText
import OppiWire
import Simulation
import TestSupport
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiPrompts
@testable import OppiTestSupport

/// The homes in `Homes`, one for each format that this program has written, by their dates.
///
/// After a change of a format, add a home with files of the new one, and keep the others.
@Suite struct EarlierFormatTests {
  private static let homes = ["2026-11-21", "2026-11-23", "2026-11-24", "2026-11-25"]

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Homes")

  /// Commands that read all files without a server.
  private static let readers: [[String]] = [
    ["servers", "--json"], ["config", "--json"], ["history", "--json"], ["outbox", "--json"],
    ["shortcuts", "--json"], ["shortcuts", "show", "review", "--json"],
    ["shortcuts", "show", "standup", "--json"], ["schedule", "list", "--json"],
    ["__complete", "--", "ask", "-w", ""], ["__complete", "--", "ask", "-m", ""],
    ["__complete", "--", "ask", "-s", ""], ["setup", "--remove", "--dry-run"],
    ["launch", "--print", "--json"],
  ]

  @Test("every home has a test")
  func coverage() throws {
    let found = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path())
    #expect(found.sorted() == Self.homes)
  }

  @Test("the files of earlier versions are read", arguments: homes)
  func reading(home: String) throws {
    let files = try Self.files(of: home)
    inWorld(isPaired: false) { world, _ in
      for (path, bytes) in files { world.disk.put(bytes, at: "\(World.home)/\(path)") }
      var transcript = ""
      for words in Self.readers {
        let outcome = await world.oppi(words)
        transcript += "$ oppi \(words.joined(separator: " "))\n\(outcome.output)\(outcome.errors)"
      }
      for word in ["is damaged", "cannot use", "has version", "not changed", ".corrupt"] {
        #expect(!transcript.contains(word), "\(transcript)")
      }
      try Self.checkStores(in: world, at: home)
      try Snapshot.check(transcript, "home-\(home).txt")
    }
  }

  /// Reads the files whose content those commands do not print.
  private static func checkStores(in world: World, at home: String) throws {
    let (paths, files) = (XDGPaths(environment: [:], home: World.home), world.program().files)
    let studio = try #require(Fingerprint("sha256:\(String(repeating: "A", count: 42))E"))
    let workspace = try #require(WorkspaceReference("\(studio.text)|w1"))
    let lastUsed = LastUsed(workspace: workspace, sessionID: "s1")
    #expect(try AskHistoryFile(paths: paths, files: files).lastUsed() == lastUsed)
    let credentials = CredentialStore(paths: paths, environment: [:], files: files)
    #expect(try credentials.isStored(studio))
    guard home > homes[0] else { return }
    let sessions = RecordFile<KeyedRecords<ContinuedSession>>(paths.shortcutSessionsFile, in: files)
    #expect(try sessions.session(of: "standup", in: workspace) == "s1")
    let messages = try RecordFile<MessageHistory>(paths.messageHistoryFile, in: files).load()
    #expect(messages?.messages.count == 2)
    let picks = try RecordFile<RecentPicks>(paths.recentPicksFile, in: files).load()
    #expect(picks?.ranks.count == 2)
    let setup = SetupRecordFile(path: paths.setupFile, place: "user", files: files)
    #expect(try setup.load().files.count == 1)
    try checkStatus(paths, files, at: home)
    guard home == homes.last else { return }
    let office = try #require(Fingerprint("sha256:\(String(repeating: "B", count: 42))E"))
    let tokens = AccessTokenStore(paths: paths, files: files)
    #expect(try tokens.token(of: studio)?.challenge?.nonce == "n1")
    // Earlier versions also noted devices that only had too many challenges.
    #expect(tokens.standing(of: "d2", on: office) == DeviceStanding(of: "d2"))
  }

  /// The state of sessions is used by commands only for some seconds.
  private static func checkStatus(_ paths: XDGPaths, _ files: FileStore, at home: String) throws {
    for path in [paths.statusFile, paths.sessionsFile] {
      let fleet = try RecordFile<FleetStatus>(path, in: files).load()
      let session = try #require(fleet?.servers.first?.sessions.first)
      #expect(session.turn?.end == .stopped && session.turn?.todo?.total == 3)
      #expect(session.approvals.map(\.id) == ["r1"] && session.question?.id == "q1")
    }
    guard home > homes[1] else { return }
    let turns = try RecordFile<EndedTurns>(paths.turnsFile, in: files).load()
    #expect(try #require(turns) != EndedTurns())
  }

  /// The paths and contents of a home's files.
  private static func files(of home: String) throws -> [(path: String, bytes: [UInt8])] {
    let folder = folder.appending(path: home)
    return try FileManager.default.subpathsOfDirectory(atPath: folder.path()).sorted()
      .compactMap { path in
        let url = folder.appending(path: path)
        let isFolder = try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory ?? false
        return isFolder ? nil : (path, Array(try Data(contentsOf: url)))
      }
  }
}
