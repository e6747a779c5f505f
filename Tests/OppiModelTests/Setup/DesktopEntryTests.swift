// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@Suite struct DesktopEntryTests {
  private static let program = SetupProgram(name: "oppi", path: "/home/ann/.local/bin/oppi")

  @Test("the menu entry opens a session")
  func application() {
    #expect(
      DesktopEntry.application(of: Self.program) == """
        [Desktop Entry]
        Type=Application
        Name=oppi
        GenericName=Coding Agents
        Comment=Open a session with a coding agent on your own server
        Icon=utilities-terminal
        Exec=/home/ann/.local/bin/oppi new
        Terminal=false
        Categories=Development;
        Keywords=agent;prompt;session;
        Actions=ask;new-session;

        [Desktop Action ask]
        Name=Ask
        Exec=/home/ann/.local/bin/oppi pick workspaces

        [Desktop Action new-session]
        Name=New Session
        Exec=/home/ann/.local/bin/oppi new

        """
    )
  }

  @Test("the link handler is hidden from menus and asks first")
  func linkHandler() {
    #expect(
      DesktopEntry.linkHandler(of: Self.program) == """
        [Desktop Entry]
        Type=Application
        Name=oppi: pair with a server
        Comment=Shows the server of an oppi:// link and asks before pairing with it
        Icon=utilities-terminal
        Exec=/home/ann/.local/bin/oppi pair --link -- %u
        Terminal=false
        NoDisplay=true
        MimeType=x-scheme-handler/oppi;

        """
    )
  }

  @Test("special characters in a path are escaped by the rules of each format")
  func escaping() {
    let odd = #"/o d/100%/$x/"q"\b/oppi"#
    #expect(
      DesktopEntry.commandLine([odd, "new"])
        == #""/o d/100%%/\\$x/\\"q\\"\\\\b/oppi" new"#
    )
    #expect(DesktopEntry.commandLine(["/p%/oppi", ""]) == #"/p%%/oppi """#)
  }
}
