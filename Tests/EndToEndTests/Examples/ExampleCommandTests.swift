// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// `oppi examples`, which prints the embedded files of `Examples/`.
@Suite(.fewAtOnce) struct ExampleCommandTests {
  @Test("the list shows each folder with its title")
  func list() async throws {
    let outcome = try await Home().oppi("examples")
    let rows = outcome.outputLines.map { $0.split(separator: "\t").map(String.init) }
    #expect(rows.map(\.first) == ExamplesTests.names.map(Optional.some), "\(outcome)")
    for row in rows {
      let heading = try ExamplesTests.text("\(row[0])/README.md").split(separator: "\n").first
      #expect(heading.map(String.init) == "# \(row[0]): \(row.last ?? "")")
    }
  }

  @Test(
    "--file prints a file to the byte, with this program's path",
    arguments: ExamplesTests.files
  )
  func file(path: String) async throws {
    let parts = path.split(separator: "/", maxSplits: 1).map(String.init)
    let outcome = try await Home().oppi("examples", "show", parts[0], "--file", parts[1])
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
    #expect(try outcome.output == ExamplesTests.example(path))
  }

  @Test(
    "without --file each file follows its name, README.md first",
    arguments: ExamplesTests.names
  )
  func whole(name: String) async throws {
    let outcome = try await Home().oppi("examples", "show", name)
    let paths = ExamplesTests.files.filter { $0.hasPrefix("\(name)/") }
    let readme = "\(name)/README.md"
    let texts = try ([readme] + paths.filter { $0 != readme }).map { path in
      try "==> \(path.dropFirst(name.count + 1)) <==\n\(ExamplesTests.example(path))"
    }
    #expect(outcome.output == texts.joined(separator: "\n"))
  }

  @Test("a link's path is kept, and a path that needs quoting is not inserted")
  func paths() async throws {
    let home = try Home()
    try ExamplesTests.install(in: home)
    let link = "\(home.folder.path)/.local/bin/oppi"
    let called = try await home.run([link, "examples", "show", "argos", "--file", "oppi.10s.sh"])
    #expect(called.output.contains("exec \(link) status"), "\(called)")
    let odd = try await home.shell(
      "mkdir 'o d'; ln -s \(Executable.oppi) 'o d/oppi'; './o d/oppi' examples show cron"
    )
    #expect(odd.status == 0 && odd.errors.contains("requires quoting"), "\(odd)")
    #expect(odd.output.contains(ExamplesTests.placeholder) && !odd.output.contains("o d/"))
  }

  @Test("an unknown example or file is 66, with suggestions")
  func unknown() async throws {
    let home = try Home()
    let name = try await home.oppi("examples", "show", "crom")
    #expect(name.status == 66 && name.errors.contains("did you mean 'cron'?"), "\(name)")
    let file = try await home.oppi("examples", "show", "sway", "--file", "x")
    #expect(file.status == 66 && file.errors.contains("files: README.md, oppi.conf"), "\(file)")
  }

  @Test("example names and files are completed")
  func completion() async throws {
    let home = try Home()
    let names = try await home.oppi("__complete", "--", "examples", "show", "sys")
    #expect(names.output.contains("systemd-path\t"), "\(names)")
    let files = try await home.oppi("__complete", "--", "examples", "show", "udev", "--file", "")
    #expect(files.output.contains("90-oppi.rules"), "\(files)")
  }
}
