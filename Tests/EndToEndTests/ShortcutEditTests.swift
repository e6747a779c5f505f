// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// `oppi shortcuts edit` with real editor programs.
@Suite(.fewAtOnce) struct ShortcutEditTests {
  private static let folder = ".config/oppi/shortcuts"

  /// A home with a shortcut that consists of a JSON file and a prompt file.
  private static func home() throws -> Home {
    let home = try Home()
    try home.write(
      "{\"workspace\": \"demo\", \"promptFile\": \"x.txt\"} // mine\n",
      to: "\(folder)/x.json"
    )
    try home.write("say it\ntwice\n", to: "\(folder)/x.txt")
    return home
  }

  private static func edit(_ words: String..., by editor: String, in home: Home) async throws
    -> Outcome
  {
    try await home.oppi(["shortcuts", "edit"] + words + ["x"], environment: ["EDITOR": editor])
  }

  private static func text(_ name: String, in home: Home) -> String? {
    try? String(contentsOf: home.folder.appending(path: "\(folder)/\(name)"), encoding: .utf8)
  }

  @Test("settings and prompt are edited separately, and comments are kept")
  func edits() async throws {
    let home = try Self.home()
    let rest = try await Self.edit(by: "sed -i s/demo/webapp/", in: home)
    #expect(rest.status == 0 && rest.errors == "changed x\n", "\(rest)")
    #expect(Self.text("x.json", in: home)?.contains("\"webapp\"") == true)
    #expect(Self.text("x.json", in: home)?.contains("// mine") == true)
    let prompt = try await Self.edit("--prompt", by: "sed -i s/twice/{{n}}/", in: home)
    #expect(prompt.status == 0, "\(prompt)")
    #expect(Self.text("x.txt", in: home) == "say it\n{{n}}\n")
    let same = try await Self.edit(by: "true", in: home)
    #expect(same.errors == "not changed\n", "\(same)")
  }

  @Test("a rejected edit leaves the shortcut unchanged, and the next edit continues it")
  func draft() async throws {
    let home = try Self.home()
    let before = Self.text("x.json", in: home)
    let broken = try await Self.edit(by: "sed -i -e s/demo/webapp/ -e s/}//", in: home)
    #expect(broken.status == 65, "\(broken)")
    #expect(broken.errors.contains("continue your edit with: oppi shortcuts edit x"), "\(broken)")
    #expect(Self.text("x.json", in: home) == before)
    let mended = try await Self.edit(by: "sed -i 's/txt\"/txt\"}/'", in: home)
    #expect(mended.status == 0, "\(mended)")
    #expect(Self.text("x.json", in: home)?.contains("\"webapp\"") == true)
  }

  @Test("two edits that are valid only together are both saved by the second edit")
  func both() async throws {
    let home = try Self.home()
    let prompt = try await Self.edit("--prompt", by: "sed -i s/twice/{{input}}/", in: home)
    #expect(prompt.status == 65, "\(prompt)")
    #expect(Self.text("x.txt", in: home) == "say it\ntwice\n")
    let rest = try await Self.edit(by: "sed -i 's/{/{\"input\": true, /'", in: home)
    #expect(rest.status == 0, "\(rest)")
    #expect(Self.text("x.txt", in: home) == "say it\n{{input}}\n")
    #expect(Self.text("x.json", in: home)?.contains("\"input\": true") == true)
    let left = try FileManager.default.contentsOfDirectory(
      atPath: home.folder.appending(path: Self.folder).path
    )
    #expect(left.sorted() == ["x.json", "x.txt"])
  }

  @Test("an accepted edit keeps the rejected edit of the other file")
  func otherDraft() async throws {
    let home = try Self.home()
    let prompt = try await Self.edit("--prompt", by: "sed -i s/twice/{{input}}/", in: home)
    #expect(prompt.status == 65, "\(prompt)")
    #expect(try await Self.edit(by: "sed -i s/demo/webapp/", in: home).status == 0)
    let again = try await Self.edit("--prompt", by: "cat >seen", in: home)
    #expect(again.status == 65, "\(again)")
    #expect(try await Self.edit("--prompt", by: "cp -t .", in: home).status == 65)
    #expect(
      try String(contentsOf: home.folder.appending(path: "x.md"), encoding: .utf8).contains(
        "{{input}}"
      )
    )
  }

  @Test("an editor that fails or leaves an empty file changes nothing")
  func givesUp() async throws {
    let home = try Self.home()
    let before = Self.text("x.json", in: home)
    #expect(try await Self.edit(by: "false", in: home).status != 0)
    #expect(try await Self.edit(by: "truncate -s 0", in: home).status == 65)
    #expect(Self.text("x.json", in: home) == before)
  }
}
