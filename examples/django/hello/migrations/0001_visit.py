from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    dependencies = []
    operations = [
        migrations.CreateModel(
            name="Visit",
            fields=[
                ("id", models.BigAutoField(primary_key=True)),
                ("at", models.DateTimeField(auto_now_add=True)),
            ],
        ),
    ]
