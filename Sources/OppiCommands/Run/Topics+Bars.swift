// SPDX-License-Identifier: MIT

import CommandTable

extension Topics {
  static let bars = HelpTopic(
    name: "bars",
    summary: "Configuration of status bars",
    body: """
      'oppi status' prints one line for a status bar: the most important session of all servers. \
      Use the absolute path of the program, because a bar may have another PATH:

          waybar    "exec": "~/.local/bin/oppi status --format waybar --follow",
                    "return-type": "json", "restart-interval": 5
          polybar   exec = ~/.local/bin/oppi status --format polybar --follow
                    type = custom/script
                    tail = true
          i3blocks  command=~/.local/bin/oppi status --format i3blocks
                    interval=5
          tmux      '#(~/.local/bin/oppi status --format tmux)' in status-right
          Argos     a script that runs oppi status --format argos

      --presentation minimal prints a symbol only, expanded prints everything. While 'oppi watch' \
      runs, its snapshot is read and no server is queried. 'oppi examples show waybar' prints \
      complete configuration files; there are examples for the other bars, too.
      """
  )
}
