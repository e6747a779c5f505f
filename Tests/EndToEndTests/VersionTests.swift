// SPDX-License-Identifier: MIT

import Foundation
import OppiText
import TestSupport
import Testing

/// The version of the program, and the commit that the build inserts.
@Suite(.fewAtOnce) struct VersionTests {
  private static let generator = URL.package.appending(path: "Sources/BuildCommit/generate").path

  @Test("--version prints the version, the commit and the dialects")
  func version() async throws {
    let outcome = try await Home().oppi("--version")
    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(outcome.status == 0 && lines.count == 3, "\(outcome)")
    #expect(lines.first?.wholeMatch(of: /oppi \d+\.\d+\.\d+/) != nil)
    #expect(
      lines.dropFirst().first?.wholeMatch(of: /commit: ([0-9a-f]{40}(-dirty)?|unknown)/) != nil
    )
    #expect(lines.last == "dialects: deviceKeys, sessionSockets, multiplexed, perSession")
  }

  @Test("--version --json prints the same as a JSON document, wherever --json stands")
  func document() async throws {
    for words in [["--version", "--json"], ["ask", "--json", "--version"]] {
      let outcome = try await Home().oppi(words, exits: 0)
      let document = try JSONValue(parsing: Array(outcome.output.utf8))
      #expect(document["version"].string?.wholeMatch(of: /\d+\.\d+\.\d+/) != nil, "\(outcome)")
      let commit = document["commit"]
      #expect(commit == .null || commit.string?.prefixMatch(of: /[0-9a-f]{40}/) != nil)
      #expect(document["dialects"].array?.first == "deviceKeys", "\(outcome)")
    }
  }

  /// A package in git, with one commit, whose hash the script prints first.
  private static let repository = """
    set -e
    mkdir -p package/Sources/BuildCommit
    cd package
    git -c init.defaultBranch=main init -q
    printf '$Format:%%H$\\n' >Sources/BuildCommit/archive
    printf '/Sources/BuildCommit/archive export-subst\\n' >.gitattributes
    git add .
    git -c user.name=Ann -c user.email=ann@host commit -q -m first
    git rev-parse HEAD
    commit() {
      sh '\(generator)' "$1" "$1/out"
      sed -n 's/^let buildCommit.* = //p' "$1/out/BuildCommit.swift"
    }
    """

  private func commits(_ script: String) async throws -> [String] {
    let outcome = try await Home().shell("\(Self.repository)\n\(script)")
    try #require(outcome.status == 0, "\(outcome)")
    return outcome.output.split(separator: "\n").map(String.init)
  }

  @Test("the commit is that of the repository, marked if files differ from it", .needs("git"))
  func repository() async throws {
    let lines = try await commits(
      "commit \"$PWD\"\necho x >>Sources/BuildCommit/archive\ncommit \"$PWD\""
    )
    let commit = try #require(lines.first)
    #expect(lines.dropFirst() == ["\"\(commit)\"", "\"\(commit)-dirty\""])
  }

  @Test("the commit of a tarball of git is known without git", .needs("git", "tar"))
  func archive() async throws {
    let lines = try await commits(
      "mkdir ../copy\ngit archive HEAD | tar -C ../copy -x\ncd ..\ncommit \"$PWD/copy\""
    )
    let commit = try #require(lines.first)
    #expect(lines.dropFirst() == ["\"\(commit)\""])
  }

  @Test("a copy of the files has no commit, even in another repository", .needs("git"))
  func copy() async throws {
    let lines = try await commits("mkdir inner\ncp -R Sources inner/\ncommit \"$PWD/inner\"")
    #expect(lines.dropFirst() == ["nil"])
  }

  @Test("the file is not written again for the same commit", .needs("git"))
  func unchanged() async throws {
    let script = """
      commit "$PWD"
      touch -d @1 out/BuildCommit.swift
      commit "$PWD"
      stat -c %Y out/BuildCommit.swift
      """
    #expect(try await commits(script).last == "1")
  }
}
